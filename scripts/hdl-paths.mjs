// `npm run hdl:paths -- PLACED.json [COUNT]`: the slowest paths of a design that nextpnr-ecp5 has placed and not routed, as it writes it with
// `--no-route --write PLACED.json`. A placement takes minutes where its routing takes an hour, and nextpnr names paths only after that.
// Times are estimates: of wires by nextpnr's own formula for the distance (speed grade 8 of a UM5G), of cells about as its tables have them.
import { readFileSync } from 'node:fs'

const PS_PER_STEP = 54
const FLIP_FLOP_PS = 525
const BLOCK_RAM_PS = 4_000
const OTHER_START_PS = 500
const RAM_SET_UP_PS = 200
/** Inputs of a LUT used as memory: they are written with the clock. */
const OF_MEMORY = new Set(['WCK', 'WRE', 'WD', 'WAD0', 'WAD1', 'WAD2', 'WAD3'])
const CLOCKS = new Set(['CLK', 'CLKA', 'CLKB', 'WCK'])
/** Inputs that the output beside them reaches without a wire. */
const BESIDE = new Set(['FCI', 'FXA', 'FXB', 'DI'])

/** Time through a cell of logic, in ps. */
function cellPs(input, output) {
  if (input === 'FCI') return output === 'FCO' ? 70 : 440
  if (output === 'FCO') return 450
  if (!output.startsWith('OFX')) return 236
  return input === 'FXA' || input === 'FXB' ? 170 : 250
}

/** Time over the wire from one place to another, in ps. */
function wirePs([x1, y1], [x2, y2], input) {
  const [dx, dy] = [Math.abs(x1 - x2), Math.abs(y1 - y2)]
  if (BESIDE.has(input) && dx + dy <= 1) return 0
  const near = Math.min(dx, 5) + Math.min(dy, 5)
  return PS_PER_STEP * (6 + Math.max(dx - 5, 0) + Math.max(dy - 5, 0) + 2 * near)
}

/** The cells of a placed design with their places, and who drives and reads each net (by number). */
function readDesign(file) {
  const { modules } = JSON.parse(readFileSync(file, 'utf8'))
  const { cells, netnames } = modules.top ?? Object.values(modules)[0]
  const names = new Map()
  for (const [name, { bits }] of Object.entries(netnames)) for (const bit of bits) names.set(bit, name)
  const drivers = new Map()
  const readers = new Map()
  const all = Object.entries(cells).map(
    ([name, { type, attributes, connections, port_directions: ways }]) => {
      const [, x = 0, y = 0] = /^X(\d+)\/Y(\d+)\//.exec(attributes.NEXTPNR_BEL ?? '') ?? []
      const cell = { name, type, at: [Number(x), Number(y)], inputs: [], outputs: [] }
      for (const [port, bits] of Object.entries(connections))
        for (const net of bits) {
          if (typeof net !== 'number') continue
          cell[ways[port] === 'output' ? 'outputs' : 'inputs'].push({ port, net })
          if (ways[port] === 'output') drivers.set(net, cell)
          else readers.set(net, [...(readers.get(net) ?? []), { cell, port }])
        }
      return cell
    },
  )
  return { cells: all, names, drivers, readers }
}

/** When each net has its value at the latest, and over which net before it; constants have none. */
function arrivals({ cells, drivers, readers }) {
  const at = new Map()
  const isLogic = ({ type }) => type === 'TRELLIS_COMB'
  for (const [net, { type, name }] of drivers) {
    if (type === 'TRELLIS_COMB' || name.includes('PACKER')) continue
    const ps = type === 'TRELLIS_FF' ? FLIP_FLOP_PS : type === 'DP16KD' ? BLOCK_RAM_PS : OTHER_START_PS
    at.set(net, { ps, before: undefined })
  }
  const read = (cell) => cell.inputs.filter(({ port, net }) => !OF_MEMORY.has(port) && drivers.has(net))
  const missing = new Map()
  const ready = []
  for (const cell of cells.filter(isLogic)) {
    const count = read(cell).filter(({ net }) => isLogic(drivers.get(net))).length
    missing.set(cell, count)
    if (count === 0) ready.push(cell)
  }
  for (let cell = ready.pop(); cell; cell = ready.pop())
    for (const { port: output, net } of cell.outputs) {
      let latest
      for (const { port, net: input } of read(cell)) {
        const from = at.get(input)
        if (!from) continue
        const ps = from.ps + wirePs(drivers.get(input).at, cell.at, port) + cellPs(port, output)
        if (!latest || ps > latest.ps) latest = { ps, before: input }
      }
      if (latest) at.set(net, latest)
      for (const { cell: next, port } of readers.get(net) ?? []) {
        if (!isLogic(next) || OF_MEMORY.has(port)) continue
        missing.set(next, missing.get(next) - 1)
        if (missing.get(next) === 0) ready.push(next)
      }
    }
  return at
}

/** The ends of paths, the slowest first. */
function endsOf({ cells, drivers }, at) {
  const ends = []
  for (const cell of cells) {
    if (cell.type === 'TRELLIS_COMB') continue
    for (const { port, net } of cell.inputs) {
      const from = at.get(net)
      if (!from || CLOCKS.has(port)) continue
      const setUp = cell.type === 'TRELLIS_FF' ? 0 : RAM_SET_UP_PS
      ends.push({ cell, port, net, ps: from.ps + wirePs(drivers.get(net).at, cell.at, port) + setUp })
    }
  }
  return ends.sort((a, b) => b.ps - a.ps)
}

const [file, count = '10'] = process.argv.slice(2)
if (file === undefined || !/^[1-9]\d*$/.test(count)) {
  console.error('! Name the file of a placed design, and how many paths: npm run hdl:paths -- PLACED.json 10')
  process.exit(3)
}
const design = readDesign(file)
const at = arrivals(design)
// paths that differ in a bit alone are one
const told = new Set()
for (const { cell, port, net, ps } of endsOf(design, at)) {
  const nets = []
  for (let each = net; each !== undefined; each = at.get(each).before) nets.unshift(each)
  const kind = [cell.name, design.names.get(nets[0])].join(' ').replace(/\d+/g, '#')
  if (told.has(kind)) continue
  told.add(kind)
  console.log(`\n${(ps / 1000).toFixed(2)} ns to ${port} of ${cell.name}`)
  for (const each of nets) {
    const { at: place, type } = design.drivers.get(each)
    const fan = design.readers.get(each)?.length ?? 0
    console.log(
      `  ${(at.get(each).ps / 1000).toFixed(2).padStart(6)}  ${design.names.get(each)} (${type}, X${place[0]} Y${place[1]}, read by ${fan})`,
    )
  }
  if (told.size === Number(count)) break
}
