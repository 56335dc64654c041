import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  BoardControl,
  type Build,
  distilFigures,
  type FabricCache,
  fieldKey,
  type Loaded,
  measureDistil,
  ReadingTraffic,
  type Received,
  SimulatedBoard,
  type trustedKeys,
} from '@hivemind/fabric'
import type { BoardFigures } from '@hivemind/swarm'
import type { AnswerOf, BodyOf } from '../common/contract.ts'

const VALUE_LIMIT = 300
const CHANGE_LIMIT = 20

type Settings = BodyOf<'setFabricRegisters'>
type Registers = AnswerOf<'getFabricRegisters'>

const distilOf = ({ cyclesPerItem, clockMHz, places }: BoardFigures) => ({ cyclesPerItem, clockMHz, places })

/** A simulated board of the service: its process, the readings it is sent, and the changes of its registers. */
export class BoardSession {
  readonly id: string
  private readonly startedAt = new Date()
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'hm-board-'))
  private readonly board: SimulatedBoard
  private readonly control: BoardControl
  private readonly received: Received[] = []
  private readonly changes: Registers['changes'] = []
  private readonly cache: FabricCache
  private traffic: ReadingTraffic | undefined
  /** What its engine distil takes; absent where the build has none. */
  figures: BoardFigures | undefined

  constructor(
    id: string,
    {
      golden,
      cache,
      model,
      trusted,
    }: {
      golden: Build
      cache: FabricCache
      model: (build: Build) => Promise<string>
      /** Whose builds it takes. */
      trusted: ReturnType<typeof trustedKeys>
    },
  ) {
    this.id = id
    this.cache = cache
    this.board = new SimulatedBoard(this.folder, model)
    this.control = new BoardControl(this.board, golden, trusted)
  }

  /** Rejects when it does not pass its self-test; it is then closed. */
  async start(): Promise<void> {
    try {
      await this.control.start()
      await this.measure()
    } catch (error) {
      await this.close()
      throw error
    }
  }

  get record(): AnswerOf<'startFabricTraffic'> {
    const { problem } = this.board
    const { traffic } = this
    return {
      id: this.id,
      build: this.control.loaded.manifest.id,
      startedAt: this.startedAt.toISOString(),
      ...(problem !== undefined && { problem }),
      ...(this.figures && { distil: distilOf(this.figures) }),
      ...(traffic && {
        traffic: {
          readingsPerSecond: traffic.readingsPerSecond,
          sources: traffic.sources,
          sent: traffic.sent,
          received: traffic.received,
        },
      }),
    }
  }

  get values(): readonly Received[] {
    return this.received
  }

  /** Throws what a load would be refused for: a model need not be compiled for it. */
  check(build: Build, allowUnmetTiming: boolean): void {
    this.control.check(build, allowUnmetTiming)
  }

  /** A load interrupts the readings: the self-test has the line meanwhile. */
  async load(
    build: Build,
    { allowUnmetTiming, isInUse }: { allowUnmetTiming: boolean; isInUse: boolean },
    signal: AbortSignal,
  ): Promise<Loaded> {
    const before = this.traffic
    this.stopTraffic()
    try {
      const loaded = await this.control.load(build, allowUnmetTiming, signal)
      // a task that has the board takes it again at once
      if (!isInUse) await this.measure()
      return loaded
    } finally {
      if (before && !this.board.problem) this.startTraffic(before)
    }
  }

  private async measure(): Promise<void> {
    const hasDistil = distilFigures(this.control.loaded.manifest) !== undefined
    this.figures = hasDistil
      ? await this.control.whenFree(() => measureDistil(this.folder, this.cache))
      : undefined
  }

  async registers(): Promise<Registers> {
    const values = await this.control.read()
    const registers = this.control.map().map(({ engine, name, address, doc, fields }) => ({
      engine,
      name,
      address,
      doc,
      fields: fields.map((field) => ({
        name: field.name,
        value: values[fieldKey(engine, field.name)] ?? 0,
        max: 2 ** (field.end - field.start + 1) - 1,
        isSoft: field.access === 'RW',
        doc: field.doc,
      })),
    }))
    return { registers, changes: this.changes }
  }

  async set(settings: Settings): Promise<Registers> {
    await this.control.write(settings)
    this.changes.unshift({ at: new Date().toISOString(), settings })
    this.changes.splice(CHANGE_LIMIT)
    return this.registers()
  }

  startTraffic(traffic: { readingsPerSecond: number; sources: number }): void {
    this.stopTraffic()
    this.received.length = 0
    this.traffic = new ReadingTraffic(this.board.frames(), traffic, (value) => {
      this.received.push(value)
      if (this.received.length > VALUE_LIMIT) this.received.shift()
    })
  }

  stopTraffic(): void {
    this.traffic?.stop()
    this.traffic = undefined
  }

  async close(): Promise<void> {
    this.stopTraffic()
    await this.control.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
