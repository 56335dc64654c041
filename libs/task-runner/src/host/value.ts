/** What may travel between tasks: anything JSON can hold, and bytes. */

const MAX_DEPTH = 200

/** The value as it will be sent, or a sentence about what in it cannot be. */
export function sendable(value: unknown, name = 'the output'): { value: unknown } | { problem: string } {
  try {
    return { value: copy(value, name, 0) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function copy(value: unknown, where: string, depth: number): unknown {
  if (depth > MAX_DEPTH)
    throw new Error(`${where} is nested more than ${MAX_DEPTH} levels deep, or contains itself.`)
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof Uint8Array) return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (Array.isArray(value)) return value.map((item, index) => copy(item, `${where}[${index}]`, depth + 1))
  if (typeof value === 'object') {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && (prototype as object).constructor?.name !== 'Object')
      throw new Error(
        `${where} is a ${(prototype as object).constructor?.name}; return plain objects, lists, text, numbers or Uint8Array.`,
      )
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, copy(item, `${where}.${key}`, depth + 1)]),
    )
  }
  throw new Error(`${where} is a ${typeof value}; return plain objects, lists, text, numbers or Uint8Array.`)
}

/** Whether it is a plain object whose keys all are names of devices. */
export function isPartitioned(value: unknown, devices: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return false
  const names = new Set(devices)
  return Object.keys(value).every((key) => names.has(key))
}
