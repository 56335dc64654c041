import { Module } from '@nestjs/common'
import { ComputingModule } from '../computing/computing.module.ts'
import { DevicesModule } from '../devices/devices.module.ts'
import { ExamplesModule } from '../examples/examples.module.ts'
import { FabricModule } from '../fabric/fabric.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { TargetsModule } from '../targets/targets.module.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { DeploymentsController } from './deployments.controller.ts'
import { DeploymentsRepository } from './deployments.repository.ts'
import { DeploymentsService } from './deployments.service.ts'
import { EstimatesService } from './estimates.service.ts'
import { LiveDeployments } from './live-deployments.ts'

@Module({
  imports: [
    ComputingModule,
    DevicesModule,
    FabricModule,
    TargetsModule,
    ProjectsModule,
    VersionsModule,
    ExamplesModule,
  ],
  controllers: [DeploymentsController],
  providers: [DeploymentsService, DeploymentsRepository, EstimatesService, LiveDeployments],
  exports: [DeploymentsService, EstimatesService, LiveDeployments],
})
export class DeploymentsModule {}
