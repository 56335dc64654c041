/** Quantities with units, as the DSL writes them: `'10s'`, `'250ms'`, `'8/s'`, `'2MB'`, `'0.40$/h'`, `'20%'`. */

/** What a quantity measures. */
export type Dimension = 'time' | 'rate' | 'size' | 'costPerHour' | 'costPerRun' | 'energy' | 'power' | 'share'

/**
 * A parsed quantity. `value` is in the base unit of its dimension:
 * time ms, rate 1/s, size bytes, cost USD per hour or per run, energy J, power W, share 0..1.
 * `text` is how the user wrote it and what is printed.
 */
export interface Quantity {
  dimension: Dimension
  value: number
  text: string
}

interface Unit {
  dimension: Dimension
  factor: number
}

const UNITS: Record<string, Unit> = {
  us: { dimension: 'time', factor: 1e-3 },
  ms: { dimension: 'time', factor: 1 },
  s: { dimension: 'time', factor: 1e3 },
  min: { dimension: 'time', factor: 60e3 },
  h: { dimension: 'time', factor: 3600e3 },
  '/s': { dimension: 'rate', factor: 1 },
  '/min': { dimension: 'rate', factor: 1 / 60 },
  '/h': { dimension: 'rate', factor: 1 / 3600 },
  Hz: { dimension: 'rate', factor: 1 },
  B: { dimension: 'size', factor: 1 },
  kB: { dimension: 'size', factor: 1e3 },
  KB: { dimension: 'size', factor: 1e3 },
  MB: { dimension: 'size', factor: 1e6 },
  GB: { dimension: 'size', factor: 1e9 },
  KiB: { dimension: 'size', factor: 1024 },
  MiB: { dimension: 'size', factor: 1024 ** 2 },
  GiB: { dimension: 'size', factor: 1024 ** 3 },
  '$/h': { dimension: 'costPerHour', factor: 1 },
  '$/run': { dimension: 'costPerRun', factor: 1 },
  mJ: { dimension: 'energy', factor: 1e-3 },
  J: { dimension: 'energy', factor: 1 },
  kJ: { dimension: 'energy', factor: 1e3 },
  Wh: { dimension: 'energy', factor: 3600 },
  mW: { dimension: 'power', factor: 1e-3 },
  W: { dimension: 'power', factor: 1 },
  kW: { dimension: 'power', factor: 1e3 },
  '%': { dimension: 'share', factor: 0.01 },
}

/** The number a quantity begins with. Each character can be matched in one way only, so matching takes linear time. */
const NUMBER = /^(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)/

/** Every unit the language knows, by dimension, for help texts and completion. */
export function unitsOf(dimension: Dimension): string[] {
  return Object.keys(UNITS).filter((unit) => UNITS[unit]?.dimension === dimension)
}

/**
 * Reads a quantity. Returns `null` when the text is not a finite, non-negative number followed by a known unit,
 * or when `expected` is given and the unit is of none of those dimensions.
 */
export function parseQuantity(text: string, expected?: readonly Dimension[]): Quantity | null {
  const trimmed = text.trim()
  const digits = NUMBER.exec(trimmed)?.[0]
  if (digits === undefined) return null
  const word = trimmed.slice(digits.length).trimStart()
  const unit = Object.hasOwn(UNITS, word) ? UNITS[word] : undefined
  const number = Number(digits)
  if (!unit || !Number.isFinite(number)) return null
  if (expected && !expected.includes(unit.dimension)) return null
  return { dimension: unit.dimension, value: number * unit.factor, text: trimmed }
}
