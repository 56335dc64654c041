import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { DevicesService } from './devices.service.ts'

@Controller()
export class DevicesController {
  private readonly devices: DevicesService

  constructor(devices: DevicesService) {
    this.devices = devices
  }

  @Operation('listDevices')
  list() {
    return this.devices.list()
  }

  @Operation('enrolDevice')
  enrol(@Body() body: BodyOf<'enrolDevice'>) {
    return this.devices.enrol(body)
  }

  @Operation('removeDevice')
  remove(@Param('device') device: string) {
    return this.devices.remove(device)
  }
}
