import { Body, Controller, Param, Query } from '@nestjs/common'
import { type AnswerOf, type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { FleetsService } from './fleets.service.ts'

@Controller()
export class FleetsController {
  private readonly fleets: FleetsService

  constructor(fleets: FleetsService) {
    this.fleets = fleets
  }

  @Operation('listFleets')
  shipped(): AnswerOf<'listFleets'> {
    return this.fleets.shipped()
  }

  @Operation('listProjectFleets')
  list(@Param('project') project: string) {
    return this.fleets.list(project)
  }

  @Operation('getProjectFleet')
  get(@Param('project') project: string, @Param('fleet') fleet: string) {
    return this.fleets.get(project, fleet)
  }

  @Operation('putProjectFleet')
  put(
    @Param('project') project: string,
    @Param('fleet') name: string,
    @Query() { expected }: QueryOf<'putProjectFleet'>,
    @Body() body: BodyOf<'putProjectFleet'>,
  ) {
    return this.fleets.put(project, name, body, expected)
  }

  @Operation('deleteProjectFleet')
  delete(
    @Param('project') project: string,
    @Param('fleet') fleet: string,
    @Query() { expected }: QueryOf<'deleteProjectFleet'>,
  ) {
    return this.fleets.delete(project, fleet, expected)
  }
}
