import { Module } from '@nestjs/common'
import { DeploymentsModule } from '../deployments/deployments.module.ts'
import { TracesModule } from '../traces/traces.module.ts'
import { MetricsController } from './metrics.controller.ts'
import { MetricsService } from './metrics.service.ts'

@Module({
  imports: [DeploymentsModule, TracesModule],
  controllers: [MetricsController],
  providers: [MetricsService],
})
export class MetricsModule {}
