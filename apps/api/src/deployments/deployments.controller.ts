import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { DeploymentsService } from './deployments.service.ts'

@Controller()
export class DeploymentsController {
  private readonly deployments: DeploymentsService

  constructor(deployments: DeploymentsService) {
    this.deployments = deployments
  }

  @Operation('listDeployments')
  list(@Param('project') project: string) {
    return this.deployments.list(project)
  }

  @Operation('createDeployment')
  create(@Param('project') project: string, @Body() body: BodyOf<'createDeployment'>) {
    return this.deployments.create(project, body)
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
