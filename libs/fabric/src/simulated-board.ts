import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { type Board, framesAt, registersAt, reserveFolder } from './board.ts'
import type { Build, FabricCache } from './cache.ts'
import { FabricError } from './error.ts'
import type { FabricEvent } from './events.ts'
import type { FrameLine } from './frames.ts'
import { lines } from './process.ts'
import type { RegisterBus } from './registers.ts'
import { SocketProcess } from './socket-process.ts'
import { hashOf, type Toolchain } from './tools.ts'

/** Flags of Verilator: registers start at 0, as the bitstream sets them. */
const VERILATOR = ['--cc', '--exe', '--build', '-O3', '--x-assign', '0', '--x-initial', '0']
const QUIET = ['-Wno-fatal', '-Wno-lint', '-Wno-style']
const LINKING = ['-CFLAGS', '-O2 -std=c++17', '-LDFLAGS', '-lz', '--top-module', 'Fabric']

/**
 * Compiles the Verilog of a build into a program that simulates it cycle by cycle; compiled before, it is taken from the
 * cache. Returns the program. Throws `tool-missing`, `stage-failed`, `cancelled`.
 */
export async function* compileModel(
  build: Build,
  { tools, cache, signal }: { tools: Toolchain; cache: FabricCache; signal?: AbortSignal },
): AsyncGenerator<FabricEvent, string> {
  const main = path.join(tools.sources, 'board/board.cpp')
  const verilog = path.join(build.folder, 'Ecpix5.v')
  const hash = hashOf([readFileSync(main), readFileSync(verilog), JSON.stringify([VERILATOR, LINKING])])
  const folder = yield* cache.once('models', hash, async function* (work): AsyncGenerator<FabricEvent> {
    yield { kind: 'stage', stage: 'model' }
    const args = [
      ...VERILATOR,
      ...['--build-jobs', String(availableParallelism())],
      ...QUIET,
      ...LINKING,
      '--Mdir',
      'objects',
      '-o',
      path.join(work, 'board'),
      verilog,
      main,
    ]
    try {
      for await (const line of lines({ file: 'verilator', args, cwd: work }, 'Verilator', signal))
        yield { kind: 'log', line }
    } catch (error) {
      if (error instanceof FabricError && error.code === 'tool-missing')
        throw new FabricError(
          'tool-missing',
          'verilator is missing: `npm run hdl:setup` installs the tools of the fabric.',
        )
      throw error
    }
  })
  return path.join(folder, 'board')
}

/**
 * The board as a simulation in a process of its own, with frames and the serial line on sockets of a folder. The model of a
 * build must have been compiled.
 */
export class SimulatedBoard implements Board {
  readonly device = 'LFE5UM5G-85F-8BG554I'
  readonly #folder: string
  readonly #model: (build: Build) => Promise<string>
  readonly #process = new SocketProcess('The simulated board')

  /**
   * @param folder where its sockets are; its path must be short (a socket's has at most 107 bytes)
   * @param model gives the program that simulates a build
   */
  constructor(folder: string, model: (build: Build) => Promise<string>) {
    this.#folder = folder
    this.#model = model
  }

  async write(build: Build): Promise<void> {
    const program = await this.#model(build)
    if (!existsSync(program))
      throw new FabricError('board', `${program} is missing: compile the model again.`)
    await this.close()
    await this.#process.start(program, [this.#folder])
  }

  /** Why it does not run any more; `undefined` while it runs, and when it was switched off. */
  get problem(): string | undefined {
    return this.#process.problem
  }

  registers(): RegisterBus {
    return registersAt(this.#folder)
  }

  frames(): FrameLine {
    return framesAt(this.#folder)
  }

  reserve(): () => void {
    return reserveFolder(this.#folder)
  }

  close(): Promise<void> {
    return this.#process.stop(true)
  }
}
