/** The fleet that `--fleet` names: one that ships with HiveMind, an own one of the project, or a file. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  FLEET_FILE_ENDING,
  type Fleet,
  FleetError,
  fleetByName,
  fleetFile,
  fleets,
  parseFleet,
} from '@hivemind/swarm'
import { usageFault } from './failure.ts'

/** Reads a fleet from a file; `undefined` when there is none. Throws a usage fault when it holds no fleet. */
async function fleetIn(file: string): Promise<Fleet | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw usageFault(`The fleet '${file}' cannot be read: ${error.message}.`)
  })
  if (text === undefined) return undefined
  try {
    return parseFleet(text)
  } catch (error) {
    throw error instanceof FleetError
      ? usageFault(`The fleet '${file}' cannot be used. ${error.message}`)
      : error
  }
}

/** The own fleets of the project in a folder, `NAME.fleet.json`. Files that hold no fleet are left out. */
export async function ownFleets(dir: string): Promise<Fleet[]> {
  const names = await readdir(dir).catch(() => [])
  const files = names.filter((name) => name.endsWith(FLEET_FILE_ENDING)).sort()
  const found = await Promise.all(files.map((name) => fleetIn(path.join(dir, name)).catch(() => undefined)))
  return found.filter((fleet) => fleet !== undefined)
}

/** A fleet by its name, with the own fleets of the project in `dir`, or by its file, which ends in `.json`. */
export async function fleetNamed(name: string, dir: string): Promise<Fleet> {
  if (name.endsWith('.json')) {
    const fleet = await fleetIn(name)
    if (fleet) return fleet
    throw usageFault(`There is no file '${name}'.`)
  }
  const known = fleetByName(name) ?? (await fleetIn(path.join(dir, fleetFile(name))))
  if (known) return known
  const names = [...fleets(), ...(await ownFleets(dir))].map((each) => each.name)
  throw usageFault(
    `There is no fleet '${name}': no file ${fleetFile(name)} beside the workflow, and no fleet of that name that ships with HiveMind. Known: ${names.join(', ')}.`,
  )
}
