import { Injectable } from '@nestjs/common'
import { Turns } from '../common/turns.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { type FileInfo, ProjectFolders } from '../storage/project-folders.ts'

/** Task code and data of the projects. Throws 404 for a project that is not there. */
@Injectable()
export class FilesService {
  private readonly projects: ProjectsService
  private readonly folders: ProjectFolders
  private readonly turns = new Turns()

  constructor(projects: ProjectsService, folders: ProjectFolders) {
    this.projects = projects
    this.folders = folders
  }

  async list(project: string): Promise<FileInfo[]> {
    await this.projects.row(project)
    return this.folders.list(project)
  }

  async open(project: string, file: string) {
    await this.projects.row(project)
    return this.folders.open(project, file)
  }

  /** Writes a file; of several at the same time each sees what the one before has written. Throws 400 and 409. */
  async put(project: string, file: string, text: string, expected?: string) {
    await this.projects.row(project)
    return this.turns.run(project, () => this.folders.put(project, file, text, expected))
  }

  async delete(project: string, file: string): Promise<void> {
    await this.projects.row(project)
    await this.folders.delete(project, file)
  }
}
