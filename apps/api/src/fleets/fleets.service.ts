import { deviceCount, type Fleet, fleetByName, fleets, handOversOf } from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { impossible, notFound } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { OwnFleets } from '../storage/own-fleets.ts'

type Summary = Noun<'FleetSummary'>

const summaryOf = (fleet: Fleet, own: boolean): Summary => ({
  name: fleet.name,
  label: fleet.label,
  devices: deviceCount(fleet),
  classes: fleet.devices.map((group) => group.class.name),
  handOvers: handOversOf(fleet),
  own,
})

/** Fleets by name: those that ship with HiveMind, and the own ones of a project. */
@Injectable()
export class FleetsService {
  private readonly projects: ProjectsService
  private readonly own: OwnFleets

  constructor(projects: ProjectsService, own: OwnFleets) {
    this.projects = projects
    this.own = own
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
    const shipped = fleetByName(name)
    const found = shipped ? { fleet: shipped } : await this.own.find(project, name)
    if (!found) throw notFound('fleet', name)
    return found
  }

  /** The fleet that somebody asks to explore on. Throws 422 with the names there are. */
  async named(project: string, name: string): Promise<Fleet> {
    const found = fleetByName(name) ?? (await this.own.find(project, name))?.fleet
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
