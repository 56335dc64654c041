import { type Project, ProjectError, readProject } from '@hivemind/deploy'
import type { Workflow } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import { Problem } from '../common/problem.ts'
import { Checkouts } from '../storage/checkouts.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { ProjectsService } from './projects.service.ts'

/** A version of a project, ready to be deployed or measured. */
export interface ReadyVersion {
  /** The workflow's name. */
  name: string
  workflow: Workflow
  /** Its files and their hashes; `project.dir` is a folder that holds the version's files, whatever is changed since. */
  project: Project
}

/** Reads what is deployed: a version's workflow, code and data. */
@Injectable()
export class ProjectReader {
  private readonly projects: ProjectsService
  private readonly versions: VersionsService
  private readonly checks: ChecksService
  private readonly checkouts: Checkouts

  constructor(
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
    checkouts: Checkouts,
  ) {
    this.projects = projects
    this.versions = versions
    this.checks = checks
    this.checkouts = checkouts
  }

  /** Throws 404 and, when the version or its files cannot be used, 422. */
  async ready(id: string, number: number): Promise<ReadyVersion> {
    const version = await this.versions.named(id, number)
    const workflow = await this.checks.soundWorkflow(id, version)
    const { workflow_file: workflowFile } = await this.projects.row(id)
    const folder = await this.checkouts.folder({ workflowFile, ...version })
    try {
      const project = await readProject(folder, workflowFile)
      return { name: workflowFile.replace(/\.hive\.py$/, ''), project, workflow }
    } catch (error) {
      if (error instanceof ProjectError) throw new Problem(422, error.message)
      throw error
    }
  }
}
