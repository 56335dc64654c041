import type { KeyObject } from 'node:crypto'
import type { Board } from './board.ts'
import { type Build, verifyFiles } from './cache.ts'
import { FabricError } from './error.ts'
import { checkBeforeLoad, type Loaded, type LoadOptions, loadBuild } from './load.ts'
import { type Register, type RegisterBus, readRegisterMap } from './registers.ts'
import { writeAndTest } from './self-test.ts'
import { readFields, writeSettings } from './settings.ts'
import { checkSignature, trustedKeys } from './signature.ts'

/** A board that is on, and what is loaded on it. What is asked of it is done one after another. */
export class BoardControl {
  readonly board: Board
  readonly #trusted: KeyObject[] | undefined
  #loaded: Build
  #last: Promise<unknown> = Promise.resolve()

  /**
   * @param golden its golden image: loaded first, and again when a build fails before any other has passed
   * @param trusted whose builds it takes, as `trustedKeys` says
   */
  constructor(board: Board, golden: Build, trusted = trustedKeys()) {
    this.board = board
    this.#trusted = trusted
    this.#loaded = golden
  }

  get loaded(): Build {
    return this.#loaded
  }

  /** Switches it on. Throws `damaged` and `not-trusted` for its golden image, `self-test-failed`, `board`. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      verifyFiles(this.#loaded)
      checkSignature(this.#loaded, this.#trusted)
      await this.#alone(() => writeAndTest(this.board, this.#loaded))
    })
  }

  /** Throws what `load` would refuse the build for before anything is written. */
  check(build: Build, allowUnmetTiming: boolean): void {
    checkBeforeLoad(this.board, build, this.#options(allowUnmetTiming))
  }

  /**
   * Loads a build, or rolls back to the one before, as `loadBuild` does. The soft registers hold afterwards what they held
   * before: builds of one interface have the same. Tables (objects, peers, rows of the dispatcher) are empty.
   */
  load(build: Build, allowUnmetTiming: boolean, signal?: AbortSignal): Promise<Loaded> {
    return this.#inTurn(() => this.#alone(() => this.#load(build, allowUnmetTiming, signal)))
  }

  #options(allowUnmetTiming: boolean): LoadOptions {
    return { previous: this.#loaded, allowUnmetTiming, ...(this.#trusted && { trusted: this.#trusted }) }
  }

  async #load(build: Build, allowUnmetTiming: boolean, signal?: AbortSignal): Promise<Loaded> {
    if (signal?.aborted) throw new FabricError('cancelled', 'The load was cancelled.')
    // a board whose process has ended has no settings to keep, and takes a load all the same
    const settings = await this.#onBus(settingsOf).catch(() => ({}))
    const result = await loadBuild(this.board, build, this.#options(allowUnmetTiming))
    this.#loaded = result.build
    if (Object.keys(settings).length > 0) await this.#onBus((bus, map) => writeSettings(bus, map, settings))
    return result
  }

  /** The registers of what is loaded. */
  map(): Register[] {
    return readRegisterMap(this.#loaded.folder)
  }

  /** The value of every field, by `engine.field`. Throws `board`. */
  read(): Promise<Record<string, number>> {
    return this.#inTurn(() => this.#onBus(readFields))
  }

  /** Writes soft registers that take effect together; nothing is written when one is wrong. Throws `bad-parameters`, `board`. */
  write(settings: Record<string, number>): Promise<void> {
    return this.#inTurn(() =>
      this.#onBus(async (bus, map) => {
        await writeSettings(bus, map, settings)
      }),
    )
  }

  /** Does something that needs its lines and registers, when nothing else is asked of it. */
  whenFree<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work)
  }

  /** Switches it off, after what it is doing. */
  close(): Promise<void> {
    return this.#inTurn(() => this.board.close())
  }

  /** Other programs have neither its lines nor its registers meanwhile. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const leave = this.board.reserve()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  async #onBus<T>(work: (bus: RegisterBus, map: Register[]) => Promise<T>): Promise<T> {
    const bus = this.board.registers()
    try {
      return await work(bus, this.map())
    } finally {
      bus.close()
    }
  }
}

/** Registers whose values mean nothing later: rows for tables, which are empty after a load. */
const PASSING = /^(SCRATCH|ROW_\d|PLACE|PEER\w*|NAME_\d|BASE_\d|SIZE|ACCESS)$/

/** The soft settings as they are staged. */
async function settingsOf(bus: RegisterBus, map: Register[]): Promise<Record<string, number>> {
  const soft = map
    .filter(({ name }) => !PASSING.test(name))
    .map((register) => ({ ...register, fields: register.fields.filter(({ access }) => access === 'RW') }))
  return readFields(
    bus,
    soft.filter(({ fields }) => fields.length > 0),
  )
}
