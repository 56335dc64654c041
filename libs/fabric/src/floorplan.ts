/** Where the parts of a fabric lie on the device, and how close the ends of its paths come to the clock. */

/** The placement of a build, as a picture needs it. */
export interface Floorplan {
  /** Tiles of the device across and down. */
  columns: number
  rows: number
  /** The shell and the engines, with the logic cells and block RAMs of each. */
  parts: { name: string; cells: number; memories: number }[]
  /** Every tile with logic, by column and row; its part is the index of the one that has most of its cells. */
  tiles: { x: number; y: number; part: number; cells: number }[]
  /** Every block RAM. */
  memories: { x: number; y: number; part: number }[]
  /** For each clock, how many ends of paths are reached how long after its edge. */
  arrivals: Arrivals[]
}

/** Ends of paths of one clock. */
export interface Arrivals {
  clock: string
  /** What the clock leaves for a path, in ns. */
  requiredNs: number
  /** Width of a bin, in ns; the first one begins at 0. */
  binNs: number
  counts: number[]
}

/** Tiles of a device across and down, by the beginning of its name. */
const TILES: Readonly<Record<string, { columns: number; rows: number }>> = {
  'LFE5UM5G-85F': { columns: 127, rows: 96 },
}

const CELL = /^ {8}"(.+)": \{$/
const TYPE = /^ {10}"type": "(.+)",$/
const PLACE = /^ {12}"NEXTPNR_BEL": "X(\d+)\/Y(\d+)\//
const LOGIC = 'TRELLIS_COMB'
const MEMORY = 'DP16KD'

/**
 * Reads the design that nextpnr writes when it has placed it, line by line: it has tens of megabytes. Cells are told apart by
 * the names of the instances they are in; what is of no engine is of the shell.
 */
export async function readPlacement(
  lines: Iterable<string> | AsyncIterable<string>,
  device: string,
  engines: readonly string[],
): Promise<Omit<Floorplan, 'arrivals'>> {
  const names = ['shell', ...engines]
  const parts = names.map((name) => ({ name, cells: 0, memories: 0 }))
  const tiles = new Map<string, number[]>()
  const memories: Floorplan['memories'] = []
  let cell = ''
  let type = ''
  for await (const line of lines) {
    const named = CELL.exec(line)?.[1]
    if (named !== undefined) cell = named
    type = TYPE.exec(line)?.[1] ?? type
    const place = PLACE.exec(line)
    if (!place) continue
    const [x, y] = [Number(place[1]), Number(place[2])]
    const index = Math.max(0, engines.findIndex((engine) => cell.startsWith(`core.${engine}`)) + 1)
    const part = parts[index] as (typeof parts)[number]
    if (type === MEMORY) {
      part.memories += 1
      memories.push({ x, y, part: index })
    } else if (type === LOGIC) {
      part.cells += 1
      const counts = tiles.get(`${x} ${y}`) ?? names.map(() => 0)
      counts[index] = (counts[index] as number) + 1
      tiles.set(`${x} ${y}`, counts)
    }
  }
  const size = Object.entries(TILES).find(([name]) => device.startsWith(name))?.[1]
  const listed = [...tiles].map(([key, counts]): Floorplan['tiles'][number] => {
    const [x = 0, y = 0] = key.split(' ').map(Number)
    const cells = counts.reduce((sum, count) => sum + count, 0)
    return { x, y, part: counts.indexOf(Math.max(...counts)), cells }
  })
  return {
    columns: size?.columns ?? 1 + Math.max(0, ...listed.map(({ x }) => x)),
    rows: size?.rows ?? 1 + Math.max(0, ...listed.map(({ y }) => y)),
    parts,
    tiles: listed.sort(byPlace),
    memories: memories.sort(byPlace),
  }
}

const byPlace = (a: { x: number; y: number }, b: { x: number; y: number }): number => a.y - b.y || a.x - b.x

/** Bins of a clock's period. */
const BINS = 40

/** nextpnr's report with `--detailed-timing-report`, as far as it is read. */
interface DetailedReport {
  fmax: Record<string, { constraint: number }>
  detailed_net_timings?: { event: string; endpoints: { event: string; delay: [number, number] }[] }[]
}

/** The ends of all paths from an edge of a clock to the same edge, by when they are reached at the latest. */
export function readArrivals(text: string): Arrivals[] {
  const { fmax, detailed_net_timings: nets = [] } = JSON.parse(text) as DetailedReport
  return Object.entries(fmax).map(([name, { constraint }]) => {
    const requiredNs = 1000 / constraint
    const binNs = requiredNs / BINS
    const counts: number[] = new Array(BINS).fill(0)
    const edge = `posedge ${name}`
    for (const { event, endpoints } of nets)
      if (event === edge)
        for (const end of endpoints)
          if (end.event === edge) {
            const bin = Math.floor(end.delay[1] / binNs)
            while (counts.length <= bin) counts.push(0)
            counts[bin] = (counts[bin] as number) + 1
          }
    return { clock: name.replace(/^\$glbnet\$/, ''), requiredNs, binNs, counts }
  })
}
