import type { CheckResult } from '@hivemind/dsl'
import type { Workflow } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import { impossible } from '../common/problem.ts'
import { ComputingService } from '../computing/computing.service.ts'
import type { Noun } from '../database/tables.ts'
import { OwnFleets } from '../storage/own-fleets.ts'
import { ProjectFolders } from '../storage/project-folders.ts'

/** The checks of the language, with what this service knows of the world. */
@Injectable()
export class ChecksService {
  private readonly folders: ProjectFolders
  private readonly computing: ComputingService
  private readonly fleets: OwnFleets

  constructor(folders: ProjectFolders, computing: ComputingService, fleets: OwnFleets) {
    this.folders = folders
    this.computing = computing
    this.fleets = fleets
  }

  /** Diagnostics of a text; code paths and the project's own device classes are known when it belongs to a project. */
  async check(text: string, project?: string): Promise<CheckResult> {
    const files = project === undefined ? {} : { files: { dir: this.folders.dir(project) } }
    return this.computing.check({ text, names: await this.fleets.placeNames(project), ...files })
  }

  /** Diagnostics of a text of a project that belongs to these files. */
  private async checkWith(
    text: string,
    files: readonly { path: string }[],
    project: string,
  ): Promise<CheckResult> {
    const paths = files.map(({ path }) => path)
    const names = await this.fleets.placeNames(project)
    return this.computing.check({ text, names, files: { paths } })
  }

  /** Number of tasks and of errors, as a version with these files keeps them; outside of a project code paths are not looked up. */
  async summary(
    text: string,
    of?: { project: string; files: readonly { path: string }[] },
  ): Promise<{ tasks: number; errors: number }> {
    const { workflow, diagnostics } = await (of
      ? this.checkWith(text, of.files, of.project)
      : this.check(text))
    return {
      tasks: workflow?.tasks.length ?? 0,
      errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length,
    }
  }

  /** The workflow of a project's version that is about to be used. Throws a 422 that names the first error. */
  async soundWorkflow(
    project: string,
    { text, files, number: version }: Pick<Noun<'Version'>, 'text' | 'files' | 'number'>,
  ): Promise<Workflow> {
    const { workflow, diagnostics } = await this.checkWith(text, files, project)
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error')
    const [first] = errors
    if (workflow && !first) return workflow
    const where = first ? ` The first, in line ${first.line}: ${first.message}` : ''
    throw impossible(
      'version',
      `Version ${version} has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}; mend ${errors.length === 1 ? 'it' : 'them'} and save.${where}`,
    )
  }
}
