/** What an item of 100 kB costs on its way from a device to a function and to whoever takes the result. */
import { medianOf, own } from './peers.ts'
import type { Bench, Row } from './table.ts'

const ITEMS = 1_000
const BYTES = 100_000

interface Result {
  /** All processes together. */
  cpuS: number
  /** By process. */
  parts: Record<string, number>
  version: string
}

const measure = (what: string): Result =>
  medianOf(process.execPath, [own('src/item-path-ours.ts'), String(ITEMS), String(BYTES), what])

function row(label: string, { cpuS, parts, version }: Result): Row {
  const ms = (seconds: number): string => ((seconds / ITEMS) * 1000).toFixed(3)
  return {
    name: `${label} (${version})`,
    cpuS,
    figures: {
      'ms/item': ms(cpuS),
      ...Object.fromEntries(Object.entries(parts).map(([name, seconds]) => [`${name}, ms`, ms(seconds)])),
    },
  }
}

/** Linux only: it reads the CPU time of every process on the way from /proc. */
export const itemPath: Bench = {
  name: 'item-path',
  title: `${ITEMS} items of ${BYTES / 1000} kB from an edge task over the agent's runner and a function host to a cloud task and back to a sink that decodes; CPU of all processes; medians of 3`,
  async run() {
    return [
      row('HiveMind, bytes', measure('raw')),
      row('HiveMind, numbers as CBOR', measure('structured')),
      row('node:http alone, there and back', measure('floor')),
    ]
  },
}
