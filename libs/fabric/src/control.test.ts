/** What a board takes, with a board that only counts what is written. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Board, BoardControl, type Build, signBuild } from './index.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hm-control-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const keyFile = path.join(folder, 'key.pem')
writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }))

function buildOf(id: string, isSigned: boolean): Build {
  const build = {
    folder: path.join(folder, id),
    manifest: { id, device: 'ECP5', isTimingMet: true, files: {} },
  }
  mkdirSync(build.folder)
  writeFileSync(path.join(build.folder, 'manifest.json'), JSON.stringify(build.manifest))
  if (isSigned) signBuild(build as unknown as Build, keyFile)
  return build as unknown as Build
}

test('a board of trusted keys takes no other build, neither first nor later, and nothing of one is written', async () => {
  const written: string[] = []
  const board = {
    device: 'ECP5',
    reserve: () => () => {},
    write: async ({ manifest }: Build) => {
      written.push(manifest.id)
      throw new Error('written')
    },
  } as unknown as Board
  const [ours, unsigned] = [buildOf('a1a1a1a1', true), buildOf('b2b2b2b2', false)]
  await expect(new BoardControl(board, unsigned, [publicKey]).start()).rejects.toMatchObject({
    code: 'not-trusted',
  })
  expect(written).toEqual([])
  const control = new BoardControl(board, ours, [publicKey])
  await expect(control.start()).rejects.toThrow('written')
  expect(() => control.check(unsigned, true)).toThrow(expect.objectContaining({ code: 'not-trusted' }))
  expect(() => control.check(ours, true)).not.toThrow()
  expect(() => new BoardControl(board, ours).check(unsigned, true)).not.toThrow()
  expect(written).toEqual(['a1a1a1a1'])
})
