import { Injectable } from '@nestjs/common'
import { ProjectsService } from '../projects/projects.service.ts'
import { type FileInfo, ProjectFolders } from '../storage/project-folders.ts'

/** Task code and data of the projects. Throws 404 for a project that is not there. */
@Injectable()
export class FilesService {
  private readonly projects: ProjectsService
  private readonly folders: ProjectFolders

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

  async put(project: string, file: string, text: string): Promise<FileInfo> {
    await this.projects.row(project)
    return this.folders.put(project, file, text)
  }

  async delete(project: string, file: string): Promise<void> {
    await this.projects.row(project)
    await this.folders.delete(project, file)
  }
}
