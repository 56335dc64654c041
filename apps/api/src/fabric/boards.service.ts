import { type Build, compileModel, FabricCache, Toolchain, trustedKeys } from '@hivemind/fabric'
import type { BoardFigures } from '@hivemind/swarm'
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common'
import type { AnswerOf, BodyOf } from '../common/contract.ts'
import { notFound, Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { Noun } from '../database/tables.ts'
import type { JobContext, JobKind } from '../jobs/job-kind.ts'
import { JobsService } from '../jobs/jobs.service.ts'
import { BoardSession } from './board-session.ts'
import { answered } from './fabric-problem.ts'

type Load = BodyOf<'loadFabricBoard'>
/** Without a board, one is started. */
type Request = Load & { board?: string }
interface Result {
  board: string
  build: string
}

/** Each is a process that may keep a core busy. */
const BOARD_LIMIT = 4

/** Simulated boards, which end with the service. Starts and loads are jobs, one after another. */
@Injectable()
export class BoardsService implements OnModuleDestroy {
  private readonly jobs: JobsService
  private readonly tools: Toolchain
  private readonly cache: FabricCache
  private readonly kind: JobKind<Request, Result>
  private readonly boards = new Map<string, BoardSession>()
  private started = 0
  private userOf: (board: string) => string | undefined = () => undefined

  constructor(@Inject(CONFIG) config: Config, jobs: JobsService) {
    this.jobs = jobs
    this.tools = new Toolchain(config.fabric?.project)
    this.cache = new FabricCache(config.fabric?.builds)
    this.kind = {
      name: 'fabric-board',
      noun: 'load of a board',
      run: (request, job) =>
        request.board ? this.load(request.board, request, job) : this.boot(request, job),
      // A load that was under way has been done to its end.
      partial: () => null,
    }
    jobs.register(this.kind)
  }

  list(): AnswerOf<'listFabricBoards'> {
    return [...this.boards.values()].map((board) => this.recordOf(board))
  }

  /** Boards that can run a network function, and what that takes. */
  withDistil(): { id: string; folder: string; figures: BoardFigures }[] {
    return [...this.boards.values()].flatMap(({ id, folder, figures, record }) =>
      figures && record.problem === undefined ? [{ id, folder, figures }] : [],
    )
  }

  /** @param userOf says which deployment has a board, if any */
  watchUse(userOf: (board: string) => string | undefined): void {
    this.userOf = userOf
  }

  recordOf({ id, record }: BoardSession): AnswerOf<'startFabricTraffic'> {
    const deployment = this.userOf(id)
    return { ...record, ...(deployment !== undefined && { deployment }) }
  }

  /** A board for something that a deployment on it does not bear. Throws 404, and 409 with the deployment. */
  free(id: string): BoardSession {
    const board = this.get(id)
    const deployment = this.userOf(id)
    if (deployment === undefined) return board
    throw new Problem(409, `A task of deployment ${deployment} runs on ${id}: undeploy it first.`)
  }

  get(id: string): BoardSession {
    const board = this.boards.get(id)
    if (!board) throw notFound('board', id)
    return board
  }

  async start({ build }: BodyOf<'startFabricBoard'>): Promise<Noun<'JobRecord'>> {
    this.refuseMore()
    return this.startJob({ build, allowUnmetTiming: true })
  }

  async startLoad(board: string, load: Load): Promise<Noun<'JobRecord'>> {
    return this.startJob({ ...load, board: this.get(board).id })
  }

  async stop(id: string): Promise<void> {
    const board = this.free(id)
    this.boards.delete(id)
    await board.close()
  }

  async onModuleDestroy(): Promise<void> {
    this.userOf = () => undefined
    await Promise.all([...this.boards.keys()].map((id) => this.stop(id)))
  }

  private async startJob(request: Request): Promise<Noun<'JobRecord'>> {
    await answered(async () => this.cache.find(request.build))
    const { id } = await this.jobs.start(this.kind, request)
    return this.jobs.record(id)
  }

  private refuseMore(): void {
    if (this.boards.size >= BOARD_LIMIT)
      throw new Problem(409, `${BOARD_LIMIT} boards run already, which is all there may be: stop one first.`)
  }

  private async boot({ build: id }: Request, job: JobContext): Promise<Result> {
    this.refuseMore()
    const build = this.cache.find(id)
    const trusted = trustedKeys()
    await this.model(build, job)
    job.stage('self-test')
    const board = new BoardSession(`board-${++this.started}`, {
      golden: build,
      cache: this.cache,
      model: (each) => this.model(each),
      trusted,
    })
    await board.start()
    if (job.signal.aborted) {
      await board.close()
      throw new Error('Cancelled.')
    }
    this.boards.set(board.id, board)
    return { board: board.id, build: id }
  }

  private async load(
    id: string,
    { build: wanted, allowUnmetTiming }: Load,
    job: JobContext,
  ): Promise<Result> {
    const board = this.get(id)
    const build = this.cache.find(wanted)
    board.check(build, allowUnmetTiming)
    await this.model(build, job)
    job.stage('load and self-test')
    const loaded = await board.load(
      build,
      { allowUnmetTiming, isInUse: this.userOf(id) !== undefined },
      job.signal,
    )
    const { rolledBackFrom } = loaded
    if (rolledBackFrom)
      throw new Error(
        `Build ${rolledBackFrom.id.slice(0, 8)} failed: ${rolledBackFrom.reason} Rolled back to ${loaded.build.manifest.id.slice(0, 8)}.`,
      )
    return { board: id, build: wanted }
  }

  /** The program that simulates a build, compiled if it was not before. */
  private async model(build: Build, job?: JobContext): Promise<string> {
    const options = { tools: this.tools, cache: this.cache, ...(job && { signal: job.signal }) }
    const events = compileModel(build, options)
    for (;;) {
      const { done, value } = await events.next()
      if (done) return value
      if (value.kind === 'log') job?.log(value.line)
      else if (value.kind === 'stage') job?.stage('compiling the model')
    }
  }
}
