import { type Project, ProjectError, readProject } from '@hivemind/deploy'
import type { Workflow } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import { Problem } from '../common/problem.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { ProjectsService } from './projects.service.ts'

/** A version of a project, ready to be deployed or measured. */
export interface ReadyVersion {
  /** The workflow's name. */
  name: string
  workflow: Workflow
  /** The folder with its files and their hashes. */
  project: Project
}

/** Reads what is deployed: a version's workflow, and the code and data of the project's folder. */
@Injectable()
export class ProjectReader {
  private readonly projects: ProjectsService
  private readonly versions: VersionsService
  private readonly checks: ChecksService
  private readonly folders: ProjectFolders

  constructor(
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
    folders: ProjectFolders,
  ) {
    this.projects = projects
    this.versions = versions
    this.checks = checks
    this.folders = folders
  }

  /** Throws 404 and, when the version or its files cannot be used, 422. */
  async ready(id: string, number: number): Promise<ReadyVersion> {
    const { text } = await this.versions.named(id, number)
    const workflow = this.checks.soundWorkflow(text, id, number)
    await this.versions.writeHead(id)
    return { ...(await this.read(id)), workflow }
  }

  async read(id: string): Promise<{ name: string; project: Project }> {
    const { workflow_file } = await this.projects.row(id)
    try {
      const project = await readProject(this.folders.dir(id), workflow_file)
      return { name: workflow_file.replace(/\.hive\.py$/, ''), project }
    } catch (error) {
      if (error instanceof ProjectError) throw new Problem(422, error.message)
      throw error
    }
  }
}
