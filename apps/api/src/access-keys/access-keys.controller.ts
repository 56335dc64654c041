import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { AccessKeysService } from './access-keys.service.ts'

@Controller()
export class AccessKeysController {
  private readonly keys: AccessKeysService

  constructor(keys: AccessKeysService) {
    this.keys = keys
  }

  @Operation('listAccessKeys')
  list() {
    return this.keys.list()
  }

  @Operation('createAccessKey')
  create(@Body() body: BodyOf<'createAccessKey'>) {
    return this.keys.create(body)
  }

  @Operation('removeAccessKey')
  remove(@Param('key') key: string) {
    return this.keys.remove(key)
  }
}
