import { deviceCount, type Fleet, fleetByName, fleets, handOversOf, withBoards } from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { impossible, notFound } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { BoardsService } from '../fabric/boards.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { OwnFleets } from '../storage/own-fleets.ts'

/** Name of the fleet that is this machine. */
const LOCAL = 'local'

type Summary = Noun<'FleetSummary'>

const summaryOf = (fleet: Fleet, own: boolean): Summary => ({
  name: fleet.name,
  label: fleet.label,
  devices: deviceCount(fleet),
  classes: fleet.devices.map((group) => group.class.name),
  ...(fleet.edgeNodes && { edgeNodes: fleet.edgeNodes.name }),
  handOvers: handOversOf(fleet),
  own,
})

/** Fleets by name: those that ship with HiveMind, and the own ones of a project. */
@Injectable()
export class FleetsService {
  private readonly projects: ProjectsService
  private readonly own: OwnFleets
  private readonly boards: BoardsService

  constructor(projects: ProjectsService, own: OwnFleets, boards: BoardsService) {
    this.projects = projects
    this.own = own
    this.boards = boards
  }

  shipped(): Summary[] {
    return fleets().map((fleet) => summaryOf(fleet, false))
  }

  /** Throws 404 for a project that is not there. */
  async list(project: string): Promise<Summary[]> {
    await this.projects.row(project)
    const own = (await this.own.list(project)).map((each) =>
      'fleet' in each
        ? summaryOf(each.fleet, true)
        : {
            ...{ name: each.name, label: each.name, devices: 0, classes: [], handOvers: [] },
            ...{ own: true, problem: each.problem },
          },
    )
    return [...this.shipped(), ...own]
  }

  /** Throws 404, and 422 when its file holds no fleet. */
  async get(project: string, name: string): Promise<Noun<'ProjectFleet'>> {
    await this.projects.row(project)
    const shipped = this.known(name)
    const found = shipped ? { fleet: shipped } : await this.own.find(project, name)
    if (!found) throw notFound('fleet', name)
    return found
  }

  /** A fleet that ships with HiveMind; the boards of the service are the fabric of this machine. */
  private known(name: string): Fleet | undefined {
    const fleet = fleetByName(name)
    if (fleet?.name !== LOCAL) return fleet
    return withBoards(
      fleet,
      this.boards.withDistil().map(({ figures }) => figures),
    )
  }

  /** The fleet that somebody asks to explore on. Throws 422 with the names there are. */
  async named(project: string, name: string): Promise<Fleet> {
    const found = this.known(name) ?? (await this.own.find(project, name))?.fleet
    if (found) return found
    const known = (await this.list(project)).map((each) => each.name)
    throw impossible(
      'fleet',
      `There is no fleet '${name.slice(0, 80)}' in this project; there are ${known.join(', ')}.`,
    )
  }

  async put(project: string, name: string, fleet: Fleet, expected: string): Promise<Noun<'ProjectFleet'>> {
    await this.projects.row(project)
    return this.own.put(project, name, fleet, expected)
  }

  async delete(project: string, name: string, expected?: string): Promise<void> {
    await this.projects.row(project)
    await this.own.delete(project, name, expected)
  }
}
