import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Body, Controller, Param, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { type BodyOf, Operation } from '../common/contract.ts'
import { AgentPackage } from './agent-package.ts'
import { DevicesService } from './devices.service.ts'

@Controller()
export class DevicesController {
  private readonly devices: DevicesService
  private readonly package: AgentPackage

  constructor(devices: DevicesService, agent: AgentPackage) {
    this.devices = devices
    this.package = agent
  }

  @Operation('listDevices')
  list() {
    return this.devices.list()
  }

  @Operation('dialIn')
  address() {
    return this.devices.address()
  }

  @Operation('enrolDevice')
  enrol(@Body() body: BodyOf<'enrolDevice'>) {
    return this.devices.enrol(body)
  }

  @Operation('agentArchive')
  async agent(@Res() reply: FastifyReply): Promise<void> {
    const file = await this.package.file()
    const { size } = await stat(file)
    await reply
      .header('Content-Length', size)
      .header('Content-Disposition', 'attachment; filename="hivemind-agent.tar.gz"')
      .type('application/gzip')
      .send(createReadStream(file))
  }

  @Operation('removeDevice')
  remove(@Param('device') device: string) {
    return this.devices.remove(device)
  }
}
