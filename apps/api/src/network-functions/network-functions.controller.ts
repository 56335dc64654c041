import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { NetworkFunctionsService } from './network-functions.service.ts'

@Controller()
export class NetworkFunctionsController {
  private readonly functions: NetworkFunctionsService

  constructor(functions: NetworkFunctionsService) {
    this.functions = functions
  }

  @Operation('listNetworkFunctions')
  list() {
    return this.functions.list()
  }

  @Operation('registerNetworkFunction')
  register(@Param('name') name: string, @Body() body: BodyOf<'registerNetworkFunction'>) {
    return this.functions.register(name, body)
  }

  @Operation('changeNetworkFunction')
  change(@Param('name') name: string, @Body() { code }: BodyOf<'changeNetworkFunction'>) {
    return this.functions.change(name, code)
  }

  @Operation('removeNetworkFunction')
  remove(@Param('name') name: string) {
    return this.functions.remove(name)
  }
}
