import path from 'node:path'
import { type Board, framesAt, registersAt, reserveFolder } from './board.ts'
import type { Build } from './cache.ts'
import { FabricError } from './error.ts'
import type { FrameLine } from './frames.ts'
import { lines } from './process.ts'
import type { RegisterBus } from './registers.ts'
import { SocketProcess } from './socket-process.ts'
import type { Toolchain } from './tools.ts'

/** How a board hangs on this machine. */
export interface Attachment {
  /** Folder of its sockets. */
  folder: string
  /** Device of its serial line, such as `/dev/ttyUSB1`. */
  serial: string
  /** Network interface that it alone is on. */
  network: string
}

/** What writes a bitstream to a device. */
export interface Programmer {
  /** Throws when the device that a build is for is not there. */
  check(build: Build): Promise<void>
  /** Writes it into the device. Throws `board`. */
  write(build: Build): Promise<void>
}

/**
 * A board on this machine's USB and network: its bitstream through JTAG, its registers on a serial line of 1 Mbaud, its frames on a
 * network interface. Its lines are on sockets of a folder, as those of the simulated board are.
 */
export class AttachedBoard implements Board {
  readonly device = 'LFE5UM5G-85F-8BG554I'
  readonly #attachment: Attachment
  readonly #programmer: Programmer
  readonly #script: string
  readonly #lines = new SocketProcess('The program for the lines of the board')

  constructor(attachment: Attachment, tools: Toolchain, programmer: Programmer = new OpenFpgaLoader()) {
    this.#attachment = attachment
    this.#programmer = programmer
    this.#script = path.join(tools.sources, 'board/lines.py')
  }

  /** Nothing is written when the device or one of its lines is not there. */
  async write(build: Build): Promise<void> {
    const { folder, serial, network } = this.#attachment
    await this.#programmer.check(build)
    if (!this.#lines.isRunning) await this.#lines.start('python3', [this.#script, folder, serial, network])
    await this.#programmer.write(build)
  }

  /** Why its lines are not there any more. */
  get problem(): string | undefined {
    return this.#lines.problem
  }

  registers(): RegisterBus {
    return registersAt(this.#attachment.folder)
  }

  frames(): FrameLine {
    return framesAt(this.#attachment.folder)
  }

  reserve(): () => void {
    return reserveFolder(this.#attachment.folder)
  }

  /** Lets its lines go; what is loaded stays until its power goes. */
  close(): Promise<void> {
    return this.#lines.stop()
  }
}

/** The JTAG identity of each device, as the manifests of builds name it. */
const IDCODES: Record<string, number> = { 'LFE5UM5G-85F-8BG554I': 0x81113043 }

/** Boards as openFPGALoader names them. */
export const BOARD_NAMES = ['ecpix5', 'ecpix5_r03'] as const

/** openFPGALoader, which writes bitstreams through JTAG. */
export class OpenFpgaLoader implements Programmer {
  readonly #board: string

  /** @param board as openFPGALoader names it */
  constructor(board: (typeof BOARD_NAMES)[number] = 'ecpix5') {
    this.#board = board
  }

  /** Reads the identity of the device. Throws `tool-missing`, `board` where none answers, and `device-mismatch`. */
  async check({ manifest }: Build): Promise<void> {
    const said = await this.#run(
      ['--detect'],
      'No board answers on USB. Attach an ECPIX-5, switch it on, and see that you may use it (the udev rules of openFPGALoader)',
    )
    const codes = said.flatMap((line) => {
      const [, code] = /idcode\s+(0x[0-9a-f]+)/i.exec(line) ?? []
      return code === undefined ? [] : [Number(code)]
    })
    const wanted = IDCODES[manifest.device]
    if (wanted !== undefined && codes.includes(wanted)) return
    const found = codes.map((code) => `0x${code.toString(16)}`).join(', ') || 'no device'
    throw new FabricError(
      'device-mismatch',
      `The build is for ${manifest.device}, whose JTAG identity is 0x${wanted?.toString(16)}; on the board is ${found}.`,
    )
  }

  async write({ folder }: Build): Promise<void> {
    await this.#run([path.join(folder, 'fabric.bit')], 'The bitstream could not be written')
  }

  async #run(args: readonly string[], failure: string): Promise<string[]> {
    const said: string[] = []
    const command = { file: 'openFPGALoader', args: ['--board', this.#board, ...args], cwd: '.' }
    try {
      for await (const line of lines(command, 'openFPGALoader')) said.push(line)
      return said
    } catch (error) {
      if (!(error instanceof FabricError)) throw error
      if (error.code === 'tool-missing')
        throw new FabricError(
          'tool-missing',
          'openFPGALoader is missing: `npm run hdl:setup` installs it, on Debian so does `apt install openfpgaloader`.',
        )
      const reason = said.filter((line) => line.trim() !== '').at(-1) ?? 'nothing'
      throw new FabricError('board', `${failure}. openFPGALoader says: ${reason.trim()}`)
    }
  }
}
