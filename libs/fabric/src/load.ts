import type { Board } from './board.ts'
import { type Build, verifyFiles } from './cache.ts'
import { FabricError } from './error.ts'
import { readingFrame } from './frames.ts'
import { idWord } from './manifest.ts'
import { fieldOf, type Register, type RegisterBus, readRegisterMap, withField } from './registers.ts'

/** What is on a board. */
export interface Loaded {
  build: Build
  /** Set when the build that was asked for did not pass, and this one was loaded again. */
  rolledBackFrom?: { id: string; reason: string }
}

/** What a load is held against. */
export interface LoadOptions {
  /** The build that is on the board and stays when the new one fails; the golden image at first. */
  previous: Build
  /** Loads a build whose timing is not met. */
  allowUnmetTiming?: boolean
  signal?: AbortSignal
}

/** Throws when a build is not for this board: damaged, another device or interface, timing not met. */
export function checkBeforeLoad(
  board: Board,
  build: Build,
  { previous, allowUnmetTiming }: LoadOptions,
): void {
  const { manifest } = build
  verifyFiles(build)
  if (manifest.device !== board.device)
    throw new FabricError(
      'device-mismatch',
      `The build is for ${manifest.device}, the board is a ${board.device}.`,
    )
  if (manifest.interface !== previous.manifest.interface)
    throw new FabricError(
      'interface-mismatch',
      `The build has the register interface ${manifest.interface}, the board's software knows ${previous.manifest.interface}.`,
    )
  if (!manifest.isTimingMet && !allowUnmetTiming)
    throw new FabricError(
      'timing-not-met',
      `The timing of build ${manifest.id.slice(0, 8)} is not met: it may compute wrongly.`,
    )
}

/**
 * Loads a build: checks it, writes it, reads its identity back and tests it. When the identity or a test fails, the previous
 * build is loaded again, and the result says why. Throws when the build is refused before anything is written, and `board`
 * when the previous one cannot be loaded either.
 */
export async function loadBuild(board: Board, build: Build, options: LoadOptions): Promise<Loaded> {
  checkBeforeLoad(board, build, options)
  try {
    await writeAndTest(board, build)
    return { build }
  } catch (error) {
    if (!(error instanceof FabricError)) throw error
    await writeAndTest(board, options.previous)
    return { build: options.previous, rolledBackFrom: { id: build.manifest.id, reason: error.message } }
  }
}

/** Writes a build and holds it against its identity and self-test. Throws `self-test-failed`, `board`. */
export async function writeAndTest(board: Board, build: Build): Promise<void> {
  await board.write(build)
  const bus = board.registers()
  const map = readRegisterMap(build.folder)
  try {
    await checkIdentity(bus, map, build)
    await checkScratch(bus, map)
    await checkFrames(board, bus, map)
  } finally {
    bus.close()
  }
}

const register = (map: Register[], name: string): Register => {
  const found = map.find((each) => each.name === name)
  if (!found) throw new FabricError('self-test-failed', `The register map has no ${name}.`)
  return found
}

async function checkIdentity(bus: RegisterBus, map: Register[], { manifest }: Build): Promise<void> {
  const word = async (name: string): Promise<string> =>
    (await bus.read(register(map, name).address)).toString(16).padStart(8, '0')
  const words = await Promise.all([0, 1, 2, 3].map((n) => word(`INTERFACE_${n}`)))
  const uuid = words.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  if (uuid !== manifest.interface)
    throw new FabricError(
      'self-test-failed',
      `The board reports the interface ${uuid}, not ${manifest.interface}.`,
    )
  const build = await word('BUILD')
  if (Number.parseInt(build, 16) !== idWord(manifest.design))
    throw new FabricError(
      'self-test-failed',
      `The board reports build ${build}, not ${manifest.id.slice(0, 8)}.`,
    )
}

async function checkScratch(bus: RegisterBus, map: Register[]): Promise<void> {
  const { address } = register(map, 'SCRATCH')
  for (const pattern of [0xffffffff, 0x55555555, 0xaaaaaaaa, 0]) {
    await bus.write(address, pattern)
    const read = await bus.read(address)
    if (read !== pattern)
      throw new FabricError(
        'self-test-failed',
        `SCRATCH holds ${read.toString(16)} after ${pattern.toString(16)} was written.`,
      )
  }
}

/** A frame that is no reading must pass, and two readings must give their mean. Leaves the unit disabled. */
async function checkFrames(board: Board, bus: RegisterBus, map: Register[]): Promise<void> {
  const line = board.frames()
  try {
    const other = Buffer.from(Array.from({ length: 100 }, (_, n) => (n * 37) & 0xff))
    line.send(other)
    if (!(await line.receive()).equals(other))
      throw new FabricError('self-test-failed', 'A frame that must pass unchanged came out changed.')
    await writeSettings(bus, map, { enabled: 1, op: 2, window: 2 })
    line.send(readingFrame(1.5))
    line.send(readingFrame(4))
    const summary = await line.receive()
    const expected = readingFrame(2.75)
    if (!summary.equals(expected))
      throw new FabricError(
        'self-test-failed',
        `The summary of 1.5 and 4 came out as ${summary.toString('hex')}, not ${expected.toString('hex')}.`,
      )
    await writeSettings(bus, map, { enabled: 0, op: 0, window: 1 })
  } finally {
    line.close()
  }
}

/**
 * Writes soft registers by the names of their fields, and applies them together. What is read back is returned. Throws
 * `bad-parameters` for a field that is not there, is only read, or does not hold the value; then nothing is written.
 */
export async function writeSettings(
  bus: RegisterBus,
  map: Register[],
  settings: Record<string, number>,
): Promise<Record<string, number>> {
  const words = new Map<number, number>()
  for (const [name, value] of Object.entries(settings)) {
    const found = map.find((each) => each.fields.some((field) => field.name === name))
    const field = found?.fields.find((each) => each.name === name)
    if (!found || !field) throw new FabricError('bad-parameters', `There is no register field '${name}'.`)
    const before = words.get(found.address) ?? (await bus.read(found.address))
    words.set(found.address, withField(before, field, value))
  }
  for (const [address, word] of words) await bus.write(address, word)
  await bus.write(register(map, 'APPLY').address, 1)
  return readFields(
    bus,
    map.filter(({ address }) => words.has(address)),
  )
}

/** The value of every field, by name. */
export async function readFields(bus: RegisterBus, map: Register[]): Promise<Record<string, number>> {
  const result: Record<string, number> = {}
  for (const { address, fields } of map) {
    const word = await bus.read(address)
    for (const field of fields) if (field.name) result[field.name] = fieldOf(word, field)
  }
  return result
}
