import { Body, Controller, Param, Query } from '@nestjs/common'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { DeploymentsService } from './deployments.service.ts'

@Controller()
export class DeploymentsController {
  private readonly deployments: DeploymentsService

  constructor(deployments: DeploymentsService) {
    this.deployments = deployments
  }

  @Operation('listDeployments')
  list(@Param('project') project: string, @Query() page: QueryOf<'listDeployments'>) {
    return this.deployments.list(project, page)
  }

  @Operation('createDeployment')
  create(@Param('project') project: string, @Body() body: BodyOf<'createDeployment'>) {
    return this.deployments.create(project, body)
  }

  @Operation('planDeployment')
  plan(@Param('project') project: string, @Body() body: BodyOf<'planDeployment'>) {
    return this.deployments.plan(project, body)
  }

  @Operation('deploymentLogs')
  logs(@Param('deployment') deployment: string, @Query() query: QueryOf<'deploymentLogs'>) {
    return this.deployments.logs(deployment, query)
  }

  @Operation('getDeployment')
  get(@Param('deployment') deployment: string) {
    return this.deployments.get(deployment)
  }

  @Operation('undeploy')
  undeploy(@Param('deployment') deployment: string) {
    return this.deployments.undeploy(deployment)
  }
}
