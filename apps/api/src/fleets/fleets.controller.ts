import { deviceCount, fleets, handOversOf } from '@hivemind/swarm'
import { Controller } from '@nestjs/common'
import { type AnswerOf, Operation } from '../common/contract.ts'

@Controller()
export class FleetsController {
  @Operation('listFleets')
  list(): AnswerOf<'listFleets'> {
    return fleets().map((fleet) => ({
      name: fleet.name,
      label: fleet.label,
      devices: deviceCount(fleet),
      classes: fleet.devices.map((group) => group.class.name),
      handOvers: handOversOf(fleet),
    }))
  }
}
