/** The own fleets of projects: `NAME.fleet.json` in the project's folder, beside its workflow. */
import { createHash } from 'node:crypto'
import {
  deviceClassesOf,
  edgeNodesOf,
  FLEET_FILE_ENDING,
  type Fleet,
  FleetError,
  fleetFaults,
  fleetFile,
  fleetNameFault,
  fleets,
  parseFleet,
} from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { conflict, impossible, notFound, Problem } from '../common/problem.ts'
import { Turns } from '../common/turns.ts'
import { ProjectFolders } from './project-folders.ts'

/** Maximum number of own fleets of a project. */
const MAX_FLEETS = 100

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface StoredFleet {
  fleet: Fleet
  /** sha-256 of the file. */
  hash: string
}

/** A file that holds no fleet: somebody has changed it by hand. */
export interface BrokenFleet {
  name: string
  problem: string
}

@Injectable()
export class OwnFleets {
  private readonly folders: ProjectFolders
  private readonly turns = new Turns()

  constructor(folders: ProjectFolders) {
    this.folders = folders
  }

  /** All of a project, by name. */
  async list(project: string): Promise<(StoredFleet | BrokenFleet)[]> {
    const files = await this.folders.listReserved(project, FLEET_FILE_ENDING)
    const names = files.map((file) => file.slice(0, -FLEET_FILE_ENDING.length))
    const found = names
      .filter((name) => fleetNameFault(name) === undefined)
      .map(async (name): Promise<StoredFleet | BrokenFleet | undefined> => {
        try {
          return await this.find(project, name)
        } catch (error) {
          if (error instanceof Problem) return { name, problem: error.message }
          throw error
        }
      })
    return (await Promise.all(found)).filter((each) => each !== undefined)
  }

  /** `undefined` when there is none of this name. Throws 422 when its file holds no fleet. */
  async find(project: string, name: string): Promise<StoredFleet | undefined> {
    if (fleetNameFault(name) !== undefined) return undefined
    const text = await this.folders.readReserved(project, fleetFile(name))
    if (text === undefined) return undefined
    try {
      // The name of the file counts, so that a copied file is a fleet of its own.
      return { fleet: { ...parseFleet(text), name }, hash: hashOf(text) }
    } catch (error) {
      if (!(error instanceof FleetError)) throw error
      throw impossible(
        'fleet',
        `The fleet '${name}' cannot be used: its file ${fleetFile(name)} was changed by hand. ${error.message}`,
      )
    }
  }

  /** Names that a workflow of the project may place tasks on: of the device classes and edge nodes of all fleets, also of those that ship with HiveMind. */
  async placeNames(project: string | undefined): Promise<{ deviceClasses: string[]; edgeNodes: string[] }> {
    const own = project === undefined ? [] : await this.list(project)
    const all = [...fleets(), ...own.flatMap((each) => ('fleet' in each ? [each.fleet] : []))]
    return { deviceClasses: deviceClassesOf(all), edgeNodes: edgeNodesOf(all) }
  }

  /**
   * Makes or replaces a fleet. Throws 409 when `expected` is not the hash of the one there, or `none` and there is one; and 422
   * with every fault of the fleet.
   */
  put(project: string, name: string, fleet: Fleet, expected: string): Promise<StoredFleet> {
    const nameFault = fleetNameFault(name)
    if (nameFault !== undefined) throw impossible('name', `The name '${name}' ${nameFault}`)
    if (fleet.name !== name)
      throw impossible('name', `The fleet is called '${fleet.name}', and its address says '${name}'.`)
    const faults = fleetFaults(fleet)
    if (faults.length > 0)
      throw new Problem(
        422,
        new FleetError(faults).message,
        faults.slice(0, 20).map(({ path, message }) => ({ field: path, message })),
      )
    return this.turns.run(project, async () => {
      await this.expect(project, name, expected)
      if (expected === 'none') {
        const files = await this.folders.listReserved(project, FLEET_FILE_ENDING)
        if (files.length >= MAX_FLEETS)
          throw conflict(`The project has ${MAX_FLEETS} fleets already. Delete one first.`)
      }
      const text = `${JSON.stringify(fleet, null, 2)}\n`
      await this.folders.writeReserved(project, fleetFile(name), text)
      return { fleet, hash: hashOf(text) }
    })
  }

  /** Throws 404, and 409 when `expected` is given and not the hash of its content. */
  delete(project: string, name: string, expected?: string): Promise<void> {
    return this.turns.run(project, async () => {
      const isOwn = fleetNameFault(name) === undefined
      if (!isOwn || (await this.folders.readReserved(project, fleetFile(name))) === undefined)
        throw notFound('own fleet', name)
      if (expected !== undefined) await this.expect(project, name, expected)
      await this.folders.removeReserved(project, fleetFile(name))
    })
  }

  private async expect(project: string, name: string, expected: string): Promise<void> {
    const text = await this.folders.readReserved(project, fleetFile(name))
    const hash = text === undefined ? 'none' : hashOf(text)
    if (hash === expected) return
    const happened =
      hash === 'none' ? 'has been deleted' : expected === 'none' ? 'exists already' : 'has been changed'
    throw conflict(
      `The fleet '${name}' ${happened} meanwhile. Nothing was overwritten: read it again, and write with its hash as 'expected'.`,
      [{ field: 'expected', message: `the fleet's hash is ${hash}` }],
    )
  }
}
