import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { FabricService } from './fabric.service.ts'

@Controller()
export class FabricController {
  private readonly fabric: FabricService

  constructor(fabric: FabricService) {
    this.fabric = fabric
  }

  @Operation('listFabricBuilds')
  list() {
    return this.fabric.list()
  }

  @Operation('startFabricBuild')
  start(@Body() body: BodyOf<'startFabricBuild'>) {
    return this.fabric.start(body)
  }

  @Operation('getFabricBuild')
  get(@Param('build') build: string) {
    return this.fabric.get(build)
  }
}
