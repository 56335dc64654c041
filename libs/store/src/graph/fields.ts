/** Checks plain data field by field, and says of each fault where it is. */

/** Where a value is in a file, such as `graph[0].lambdas`. Empty for the whole file. */
type Place = string

/** Collects the faults of a file. */
export class Fields {
  readonly problems: string[] = []

  /** The object at a place, or null. Its fields must be among the known ones, each wanted or not. */
  object(at: Place, value: unknown, known: readonly string[], wanted: readonly string[]) {
    const found = this.record(at, value)
    if (!found) return null
    for (const field of Object.keys(found))
      if (!known.includes(field))
        this.fault(within(at, field), `is unknown: remove it, or use one of ${known.join(', ')}`)
    for (const field of wanted)
      if (!Object.hasOwn(found, field)) this.fault(within(at, field), 'is missing: add it')
    return found
  }

  /** Any object at a place, or null. */
  record(at: Place, value: unknown): Record<string, unknown> | null {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
    this.fault(at, `is ${shown(value)}: give an object { ... }`)
    return null
  }

  /** The items of a list with their places; none when it is absent. */
  list(at: Place, value: unknown): [Place, unknown][] {
    if (value === undefined) return []
    if (Array.isArray(value)) return value.map((item, index) => [`${at}[${index}]`, item])
    this.fault(at, `is ${shown(value)}: give a list [ ... ]`)
    return []
  }

  /** Whether a value is absent or one of the choices. */
  choice(at: Place, value: unknown, choices: readonly unknown[]): void {
    if (value !== undefined && !choices.includes(value))
      this.fault(at, `is ${shown(value)}: use ${choices.join(' or ')}`)
  }

  /** Whether a value is absent or passes a test. */
  text(at: Place, value: unknown, test: (text: string) => boolean, wanted: string): void {
    if (value !== undefined && !(typeof value === 'string' && test(value)))
      this.fault(at, `is ${shown(value)}: give ${wanted}`)
  }

  /** Whether a value is absent or a whole number in a range. */
  whole(at: Place, value: unknown, min: number, max: number): void {
    if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max))
      this.fault(at, `is ${shown(value)}: give a whole number from ${min} to ${max}`)
  }

  fault(at: Place, what: string): void {
    this.problems.push(`${at === '' ? 'The file' : at} ${what}.`)
  }
}

/** The place of a field. */
export const within = (at: Place, field: string): Place => {
  if (!/^[A-Za-z_]\w*$/.test(field)) return `${at}[${JSON.stringify(field)}]`
  return at === '' ? field : `${at}.${field}`
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
