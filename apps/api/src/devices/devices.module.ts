import { Module } from '@nestjs/common'
import { AgentPackage } from './agent-package.ts'
import { DevicesController } from './devices.controller.ts'
import { DevicesRepository } from './devices.repository.ts'
import { DevicesService } from './devices.service.ts'

@Module({
  controllers: [DevicesController],
  providers: [AgentPackage, DevicesService, DevicesRepository],
  exports: [DevicesService],
})
export class DevicesModule {}
