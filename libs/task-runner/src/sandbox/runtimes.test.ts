/** What a sandbox has of the Python that is named: its packages, and nothing that lies beside them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { decodeValue } from '@hivemind/values'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTaskRunner, inspectSandbox } from '../index.ts'
import { mountArguments } from './mounts.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-venv-'))
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

it.runIf(inspectSandbox().works)('task code has the packages of a virtual environment', async () => {
  const venv = path.join(folder, 'project', 'venv')
  execFileSync('python3', ['-m', 'venv', '--without-pip', venv])
  const [version = ''] = readdirSync(path.join(venv, 'lib'))
  writeFileSync(
    path.join(venv, 'lib', version, 'site-packages', 'own_package.py'),
    "WHAT = 'of the environment'\n",
  )
  writeFileSync(path.join(folder, 'project', 'secret.txt'), 'secret')
  const dir = path.join(folder, 'bundle')
  mkdirSync(dir)
  writeFileSync(
    path.join(dir, 'uses.py'),
    `import os, own_package
def run(inputs, args, context):
    return [own_package.WHAT, os.listdir(${JSON.stringify(path.join(folder, 'project'))})]
`,
  )
  vi.stubEnv('HIVEMIND_PYTHON', path.join(venv, 'bin', 'python'))
  const runner = createTaskRunner({
    task: 'uses',
    runtime: 'python',
    dir,
    code: 'uses.py',
    args: {},
    memoryMB: 512,
  })
  const got: unknown[] = []
  try {
    await runner.invoke({
      inputs: {},
      context: { run: 'r', task: 'uses', device: '*', deviceIndex: -1, devices: [], seq: 0 },
      timeoutMs: 20_000,
      onItem: ({ value }) => void got.push(decodeValue(value)),
    })
  } finally {
    await runner.close()
  }
  expect(got).toEqual([['of the environment', ['venv']]])
})

it('mounts parents first, and nothing twice', () => {
  const mounts = ['/a/b/c', '/a', '/ab', '/a'].map((at) => ({ at, source: at }))
  expect(mountArguments([...mounts, { at: '/l', link: 'a' }])).toEqual([
    ...['--ro-bind', '/a', '/a', '--ro-bind', '/ab', '/ab', '--symlink', 'a', '/l'],
  ])
})
