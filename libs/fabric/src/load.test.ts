import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Board, type Build, checkBeforeLoad, type Manifest } from './index.ts'
import { fileHash } from './tools.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hm-load-'))
  writeFileSync(path.join(folder, 'fabric.bit'), 'bits')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const board = { device: 'ECP5' } as Board
const build = (change: Partial<Manifest> = {}): Build => ({
  folder,
  manifest: {
    id: 'a1b2c3d4e5',
    device: 'ECP5',
    interface: 'here',
    isTimingMet: true,
    files: { 'fabric.bit': fileHash(path.join(folder, 'fabric.bit')) },
    ...change,
  } as Manifest,
})

describe('before a load', () => {
  test('a build for this board is let through', () => {
    expect(() => checkBeforeLoad(board, build(), { previous: build() })).not.toThrow()
  })

  test.each<[Partial<Manifest>, string, string]>([
    [{ device: 'ICE40' }, 'device-mismatch', 'The build is for ICE40, the board is a ECP5.'],
    [
      { interface: 'there' },
      'interface-mismatch',
      "The build has the register interface there, the board's software knows here.",
    ],
    [
      { isTimingMet: false },
      'timing-not-met',
      'The timing of build a1b2c3d4 is not met: it may compute wrongly.',
    ],
    [{ files: { 'fabric.bit': '00' } }, 'damaged', 'fabric.bit is not the file that was built'],
    [{ files: { 'fabric.svf': '00' } }, 'damaged', 'fabric.svf is missing: build it again.'],
  ])('%o is refused', (change, code, message) => {
    let error: unknown
    try {
      checkBeforeLoad(board, build(change), { previous: build() })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  test('unmet timing is let through when it is asked for', () => {
    const options = { previous: build(), allowUnmetTiming: true }
    expect(() => checkBeforeLoad(board, build({ isTimingMet: false }), options)).not.toThrow()
  })
})
