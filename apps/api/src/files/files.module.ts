import { Module } from '@nestjs/common'
import { ProjectsModule } from '../projects/projects.module.ts'
import { FilesController } from './files.controller.ts'
import { FilesService } from './files.service.ts'

@Module({ imports: [ProjectsModule], controllers: [FilesController], providers: [FilesService] })
export class FilesModule {}
