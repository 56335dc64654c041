import { openApiDocument } from '@hivemind/contracts'
import { inspectSandbox } from '@hivemind/task-runner'
import { Controller, Inject } from '@nestjs/common'
import { sql } from 'kysely'
import { type AnswerOf, Operation } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { sandboxState } from '../config/sandbox.ts'
import { Database } from '../database/database.ts'

@Controller()
export class HealthController {
  private readonly config: Config
  private readonly database: Database
  private document: object | undefined

  constructor(@Inject(CONFIG) config: Config, database: Database) {
    this.config = config
    this.database = database
  }

  @Operation('health')
  async health(): Promise<AnswerOf<'health'>> {
    try {
      await sql`select 1`.execute(this.database.db)
    } catch {
      throw new Problem(503, 'The database cannot be reached.')
    }
    const { version, sandbox, target } = this.config
    return {
      status: 'ok',
      version,
      database: this.database.kind,
      sandbox: sandboxState(sandbox, inspectSandbox()),
      target,
    }
  }

  @Operation('alive')
  alive(): AnswerOf<'alive'> {
    return { role: 'active' }
  }

  @Operation('openapi')
  openApi(): object {
    this.document ??= openApiDocument(this.config.version)
    return this.document
  }
}
