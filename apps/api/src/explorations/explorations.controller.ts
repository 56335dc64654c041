import { Body, Controller, Param, Query } from '@nestjs/common'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { ExplorationsService } from './explorations.service.ts'

@Controller()
export class ExplorationsController {
  private readonly explorations: ExplorationsService

  constructor(explorations: ExplorationsService) {
    this.explorations = explorations
  }

  @Operation('listExplorations')
  list(@Param('project') project: string, @Query() page: QueryOf<'listExplorations'>) {
    return this.explorations.list(project, page)
  }

  @Operation('startExploration')
  start(@Param('project') project: string, @Body() body: BodyOf<'startExploration'>) {
    return this.explorations.start(project, body)
  }

  @Operation('getExploration')
  get(@Param('exploration') exploration: string) {
    return this.explorations.get(exploration)
  }

  @Operation('cancelExploration')
  cancel(@Param('exploration') exploration: string) {
    return this.explorations.cancel(exploration)
  }
}
