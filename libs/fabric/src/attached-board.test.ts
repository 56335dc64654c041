/** openFPGALoader, the real one and one that says what a board would. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OpenFpgaLoader } from './attached-board.ts'
import type { Build } from './cache.ts'

let work: string
const build = { folder: '/builds/one', manifest: { device: 'LFE5UM5G-85F-8BG554I' } } as Build

beforeEach(() => {
  work = mkdtempSync(path.join(os.tmpdir(), 'hm-loader-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(work, { recursive: true })
})

/** Puts an openFPGALoader on the PATH that says what a board would. */
function loader(script: string): void {
  const file = path.join(work, 'openFPGALoader')
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${work}/asked\n${script}\n`)
  chmodSync(file, 0o755)
  vi.stubEnv('PATH', `${work}:${process.env.PATH}`)
}
const says = (idcode: string): string =>
  `printf 'index 0:\\n\\tidcode ${idcode}\\n\\tmanufacturer lattice\\n\\tfamily ECP5\\n'`

test('the device is read before it is written', async () => {
  loader(says('0x81113043'))
  const programmer = new OpenFpgaLoader('ecpix5_r03')
  await programmer.check(build)
  await programmer.write(build)
  expect(readFileSync(path.join(work, 'asked'), 'utf8')).toBe(
    '--board ecpix5_r03 --detect\n--board ecpix5_r03 /builds/one/fabric.bit\n',
  )
})

test('another device is refused by its identity', async () => {
  loader(says('0x41111043'))
  await expect(new OpenFpgaLoader().check(build)).rejects.toMatchObject({
    code: 'device-mismatch',
    message: expect.stringContaining('0x41111043'),
  })
})

test('what openFPGALoader says of a write that failed is passed on', async () => {
  loader('echo "Error: CRC ERR" >&2; exit 1')
  await expect(new OpenFpgaLoader().write(build)).rejects.toMatchObject({
    code: 'board',
    message: 'The bitstream could not be written. openFPGALoader says: Error: CRC ERR',
  })
})

test('where it is missing, how to get it is said', async () => {
  vi.stubEnv('PATH', work)
  await expect(new OpenFpgaLoader().check(build)).rejects.toMatchObject({
    code: 'tool-missing',
    message: expect.stringContaining('apt install openfpgaloader'),
  })
})
