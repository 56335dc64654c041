import { Body, Controller, Param, Query, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { FabricService } from './fabric.service.ts'

@Controller()
export class FabricController {
  private readonly fabric: FabricService

  constructor(fabric: FabricService) {
    this.fabric = fabric
  }

  @Operation('listFabricParameters')
  parameters() {
    return this.fabric.parameters()
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

  @Operation('getFabricFloorplan')
  floorplan(@Param('build') build: string) {
    return this.fabric.floorplan(build)
  }

  @Operation('getFabricFile')
  async file(
    @Param('build') build: string,
    @Query() { name }: QueryOf<'getFabricFile'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const bytes = this.fabric.file(build, name)
    await reply
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .header('Content-Security-Policy', "default-src 'none'; sandbox")
      .type('application/octet-stream')
      .send(bytes)
  }
}
