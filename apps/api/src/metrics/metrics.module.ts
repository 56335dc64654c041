import { Module } from '@nestjs/common'
import { DeploymentsModule } from '../deployments/deployments.module.ts'
import { MetricsController } from './metrics.controller.ts'
import { MetricsService } from './metrics.service.ts'

@Module({ imports: [DeploymentsModule], controllers: [MetricsController], providers: [MetricsService] })
export class MetricsModule {}
