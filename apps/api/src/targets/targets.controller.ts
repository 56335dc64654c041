import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { TargetsService } from './targets.service.ts'

@Controller()
export class TargetsController {
  private readonly targets: TargetsService

  constructor(targets: TargetsService) {
    this.targets = targets
  }

  @Operation('listTargets')
  list() {
    return this.targets.list()
  }

  @Operation('createTarget')
  create(@Body() body: BodyOf<'createTarget'>) {
    return this.targets.create(body)
  }

  @Operation('replaceTarget')
  replace(@Param('target') target: string, @Body() body: BodyOf<'replaceTarget'>) {
    return this.targets.replace(target, body)
  }

  @Operation('removeTarget')
  remove(@Param('target') target: string) {
    return this.targets.remove(target)
  }

  @Operation('checkTarget')
  check(@Param('target') target: string) {
    return this.targets.check(target)
  }

  @Operation('tryTarget')
  tryOut(@Body() body: BodyOf<'tryTarget'>) {
    return this.targets.tryOut(body)
  }
}
