import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Board } from './board.ts'
import type { Build, FabricCache } from './cache.ts'
import { BoardControl } from './control.ts'
import { FabricError, type FabricErrorCode } from './error.ts'

/** What a board says after a load. */
export interface BoardReport {
  /** The build that is loaded. */
  id: string
  /** Set when the build that was asked for failed. */
  rolledBackFrom?: { id: string; reason: string }
}

/** What is asked of a board's server. */
export interface LoadRequest {
  /** The beginning of the id of a build. */
  id: string
  allowUnmetTiming: boolean
  /** Only checks it; the report then says what stays loaded. */
  isDry?: boolean
}
type Reply = BoardReport | { error: { code: FabricErrorCode; message: string } }

/** What serves a board. */
export interface BoardServer {
  board: Board
  /** Folder of its socket `load.sock`. */
  folder: string
  /** What is loaded first, and again when a build fails before any other passed. */
  golden: Build
  cache: FabricCache
  signal: AbortSignal
  ready?: () => void
}

/** Switches a board on with its golden image and answers requests to load, one at a time, until `signal` aborts. */
export async function serveBoard({
  board,
  folder,
  golden,
  cache,
  signal,
  ready,
}: BoardServer): Promise<void> {
  const place = path.join(folder, 'load.sock')
  const control = new BoardControl(board, golden)
  let last: Promise<unknown> = Promise.resolve()
  const load = async ({ id, allowUnmetTiming, isDry }: LoadRequest): Promise<Reply> => {
    try {
      if (isDry) {
        control.check(cache.find(id), allowUnmetTiming)
        return { id: control.loaded.manifest.id }
      }
      const { build, rolledBackFrom } = await control.load(cache.find(id), allowUnmetTiming)
      return { id: build.manifest.id, ...(rolledBackFrom && { rolledBackFrom }) }
    } catch (error) {
      if (!(error instanceof FabricError)) throw error
      return { error: { code: error.code, message: error.message } }
    }
  }
  const answer = (socket: Socket): void => {
    socket.on('error', () => socket.destroy())
    createInterface({ input: socket }).on('line', (line) => {
      last = last.then(async () =>
        socket.write(`${JSON.stringify(await load(JSON.parse(line) as LoadRequest))}\n`),
      )
      last.catch((error: Error) => socket.destroy(error))
    })
  }
  const server = createServer(answer)
  try {
    await control.start()
    rmSync(place, { force: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(place, resolve))
    ready?.()
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  } finally {
    server.close()
    await last.catch(() => {})
    await control.close()
  }
}

/** Asks the server of a board to load a build. Throws what the board refused it for, and `board` when none answers. */
export async function loadOnServer(folder: string, request: LoadRequest): Promise<BoardReport> {
  const socket = connect(path.join(folder, 'load.sock'))
  try {
    const reply = await new Promise<Reply>((resolve, reject) => {
      const gone = (): void =>
        reject(
          new FabricError(
            'board',
            `No board answers in '${folder}': \`hivemind fabric sim\` runs one, \`attach\` serves one that is attached.`,
          ),
        )
      socket.once('error', gone)
      socket.once('close', gone)
      createInterface({ input: socket })
        .once('line', (line) => resolve(JSON.parse(line) as Reply))
        .on('error', gone)
      socket.write(`${JSON.stringify(request)}\n`)
    })
    if ('error' in reply) throw new FabricError(reply.error.code, reply.error.message)
    return reply
  } finally {
    socket.destroy()
  }
}
