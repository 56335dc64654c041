/** `hivemind doctor` on machines that have something and lack something. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { backUp } from '@hivemind/data-folder'
import { afterAll, expect, it } from 'vitest'
import type { Finding } from '../src/doctor.ts'
import { exit, hivemind, killRunning, start } from './command.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'hivemind-doctor-'))
afterAll(() => {
  killRunning()
  rmSync(folder, { recursive: true })
})

/** Programs of these names and outputs, and no others. */
function pathWith(programs: Record<string, string>): string {
  const bin = mkdtempSync(path.join(folder, 'bin-'))
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(bin, name), 0o755)
  }
  return bin
}

const find = (stdout: string, name: string) =>
  (JSON.parse(stdout) as Finding[]).find((finding) => finding.name === name)

it('says what is there and what is not, with how to mend it', async () => {
  const dataDir = path.join(folder, 'data')
  mkdirSync(path.join(dataDir, 'projects'), { recursive: true })
  const PATH = pathWith({ python3: 'echo Python 3.99', bwrap: 'exit 1' })
  const args = ['doctor', '--json', '--data-dir', dataDir]
  const first = await start(args, { PATH }).outcome
  expect(find(first.stdout, 'Python')).toEqual({ name: 'Python', state: 'ok', detail: 'Python 3.99' })
  expect(find(first.stdout, 'Sandbox')).toMatchObject({
    state: 'optional',
    detail: expect.stringContaining('cannot make a sandbox here (exit code 1)'),
    fix: expect.stringContaining('kernel.unprivileged_userns_clone=1'),
  })
  expect(find(first.stdout, 'Redis')).toMatchObject({ detail: expect.stringContaining('not there') })
  expect(find(first.stdout, 'Backups')).toMatchObject({ state: 'optional', detail: 'there is none' })
  await backUp({ dataDir, to: path.join(dataDir, 'backups'), reason: 'asked', version: '1' })
  const second = await start(args, { PATH }).outcome
  expect(find(second.stdout, 'Backups')).toMatchObject({ state: 'ok' })
})

it('ends with code 3 when something needed is missing', async () => {
  const { code, stdout } = await start(['doctor'], { PATH: pathWith({}) }).outcome
  expect(code).toBe(exit.other)
  expect(stdout).toMatch(/Python +MISSING .*apt-get install python3/)
  expect(stdout).toMatch(/Sandbox .*not installed.*apt-get install bubblewrap/)
  const here = await hivemind('doctor')
  expect(here.stdout).toContain('Node.js')
})
