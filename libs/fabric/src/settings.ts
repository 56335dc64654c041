import { fieldKey, fieldOf, findField, type Register, type RegisterBus, withField } from './registers.ts'

/**
 * Writes soft registers by the names of their fields, and applies those of each engine together. What is read back is returned.
 * Throws `bad-parameters` for a field that is not there, is only read, or does not hold the value; then nothing is written.
 */
export async function writeSettings(
  bus: RegisterBus,
  map: Register[],
  settings: Record<string, number>,
): Promise<Record<string, number>> {
  const words = new Map<Register, number>()
  for (const [name, value] of Object.entries(settings)) {
    const { register, field } = findField(map, name)
    const before = words.get(register) ?? (await bus.read(register.address))
    words.set(register, withField(before, field, value))
  }
  for (const [{ address }, word] of words) await bus.write(address, word)
  const changed = new Set([...words.keys()].map(({ engine }) => engine))
  for (const { engine, name, address } of map)
    if (name === 'APPLY' && changed.has(engine)) await bus.write(address, 1)
  return readFields(
    bus,
    map.filter((register) => words.has(register)),
  )
}

/** The value of every field, by `engine.field`. */
export async function readFields(bus: RegisterBus, map: Register[]): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  for (const { engine, address, fields } of map) {
    const word = await bus.read(address)
    for (const field of fields) if (field.name) result[fieldKey(engine, field.name)] = fieldOf(word, field)
  }
  return result
}
