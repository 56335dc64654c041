import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { ProfilesService } from './profiles.service.ts'

@Controller()
export class ProfilesController {
  private readonly profiles: ProfilesService

  constructor(profiles: ProfilesService) {
    this.profiles = profiles
  }

  @Operation('getProfile')
  get(@Param('project') project: string) {
    return this.profiles.get(project)
  }

  @Operation('importProfile')
  import(@Param('project') project: string, @Body() body: BodyOf<'importProfile'>) {
    return this.profiles.import(project, body)
  }

  @Operation('measureProfile')
  take(@Param('project') project: string, @Body() body: BodyOf<'measureProfile'>) {
    return this.profiles.take(project, body)
  }

  @Operation('startProfile')
  start(@Param('project') project: string, @Body() body: BodyOf<'startProfile'>) {
    return this.profiles.start(project, body)
  }

  @Operation('getProfileJob')
  getJob(@Param('job') job: string) {
    return this.profiles.getJob(job)
  }

  @Operation('cancelProfileJob')
  cancel(@Param('job') job: string) {
    return this.profiles.cancel(job)
  }
}
