import { Controller } from '@nestjs/common'
import { type AnswerOf, Operation } from '../common/contract.ts'
import { ExamplesService } from './examples.service.ts'

@Controller()
export class ExamplesController {
  private readonly examples: ExamplesService

  constructor(examples: ExamplesService) {
    this.examples = examples
  }

  @Operation('listExamples')
  list(): Promise<AnswerOf<'listExamples'>> {
    return this.examples.list()
  }
}
