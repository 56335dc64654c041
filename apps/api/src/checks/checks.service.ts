import type { CheckResult } from '@hivemind/dsl'
import { fleets } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import { impossible } from '../common/problem.ts'
import { ComputingService } from '../computing/computing.service.ts'
import type { Noun } from '../database/tables.ts'
import { ProjectFolders } from '../storage/project-folders.ts'

/** The checks of the language, with what this service knows of the world. */
@Injectable()
export class ChecksService {
  private readonly folders: ProjectFolders
  private readonly computing: ComputingService
  private readonly classes = [
    ...new Set(fleets().flatMap((fleet) => fleet.devices.map((group) => group.class.name))),
  ]

  constructor(folders: ProjectFolders, computing: ComputingService) {
    this.folders = folders
    this.computing = computing
  }

  /** Diagnostics of a text; code paths are looked up when it belongs to a project. */
  check(text: string, project?: string): Promise<CheckResult> {
    const files = project === undefined ? {} : { files: { dir: this.folders.dir(project) } }
    return this.computing.check({ text, deviceClasses: this.classes, ...files })
  }

  /** Diagnostics of a text that belongs to these files. */
  private checkWith(text: string, files: readonly { path: string }[]): Promise<CheckResult> {
    const paths = files.map(({ path }) => path)
    return this.computing.check({ text, deviceClasses: this.classes, files: { paths } })
  }

  /** Number of tasks and of errors, as a version with these files keeps them; without files code paths are not looked up. */
  async summary(
    text: string,
    files?: readonly { path: string }[],
  ): Promise<{ tasks: number; errors: number }> {
    const { workflow, diagnostics } = await (files ? this.checkWith(text, files) : this.check(text))
    return {
      tasks: workflow?.tasks.length ?? 0,
      errors: diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length,
    }
  }

  /** The workflow of a version that is about to be used. Throws a 422 that names the first error. */
  async soundWorkflow({
    text,
    files,
    number: version,
  }: Pick<Noun<'Version'>, 'text' | 'files' | 'number'>): Promise<Workflow> {
    const { workflow, diagnostics } = await this.checkWith(text, files)
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
