/** Groups of the kernel where this machine lets us make them (version 1 or 2), and the files of version 2 wherever. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ControlGroup } from './control-group.ts'

const LIMITS = { memoryMB: 200, threads: 300 }
const probe = ControlGroup.make(LIMITS)
probe?.remove()

/** What a shell says in the group. */
async function said(group: ControlGroup, script: string): Promise<{ out: string; code: number | null }> {
  const [program, args] = group.entering('sh', ['-c', script])
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { out: out.trim(), code }
}

test.runIf(probe)(
  'a command is in its group from the beginning, with what it starts; then the group is gone',
  async () => {
    const group = ControlGroup.make(LIMITS) as ControlGroup
    const name = `hivemind-${process.pid}-`
    const { out, code } = await said(group, 'cat /proc/self/cgroup; sh -c "cat /proc/self/cgroup"')
    expect(code).toBe(0)
    const entered = out.split('\n').filter((line) => line.includes(name))
    // the same for both processes, in each controller
    expect(entered.length).toBeGreaterThanOrEqual(2)
    expect(entered.length % 2).toBe(0)
    expect(group.outOfMemory).toBe(false)
    group.remove()
    const [, own = ''] = /:([^:]*hivemind-[^:\n]*)/.exec(entered[0] ?? '') ?? []
    const left = () =>
      ['', 'memory', 'pids', 'cpu'].filter((each) => existsSync(`/sys/fs/cgroup/${each}${own}`))
    await vi.waitFor(() => expect(left()).toEqual([]), 5_000)
  },
)

test.runIf(probe)(
  'more memory than the bound, all together, ends it, and the group says why',
  async () => {
    const group = ControlGroup.make({ memoryMB: 1, threads: 300 }) as ControlGroup
    const hog = 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1))'
    const { code } = await said(group, `"${process.execPath}" -e '${hog}'`)
    expect(code).not.toBe(0)
    expect(group.outOfMemory).toBe(true)
    group.remove()
  },
  60_000,
)

let root = ''
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'hivemind-cgroup-'))
  writeFileSync(path.join(root, 'cgroup.controllers'), 'cpu memory pids\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('version 2: below the nearest group whose controllers are enabled', () => {
  const delegated = path.join(root, 'system.slice/hivemind.service')
  mkdirSync(path.join(delegated, 'main'), { recursive: true })
  writeFileSync(path.join(delegated, 'cgroup.subtree_control'), 'cpu memory pids\n')
  writeFileSync(path.join(delegated, 'main/cgroup.subtree_control'), '\n')
  const own = '0::/system.slice/hivemind.service/main\n'
  const group = ControlGroup.make(LIMITS, { root, own }) as ControlGroup
  const [name = ''] = readdirSync(delegated).filter((each) => each.startsWith('hivemind-'))
  const value = (file: string) => readFileSync(path.join(delegated, name, file), 'utf8')
  expect(['memory.max', 'pids.max', 'cpu.weight'].map(value)).toEqual(['656000000', '300', '33'])
  expect(group.entering('a', ['b'])[1]).toContain(path.join(delegated, name, 'cgroup.procs'))
  writeFileSync(path.join(delegated, name, 'memory.events'), 'oom 1\noom_kill 1\n')
  expect(group.outOfMemory).toBe(true)
})

test('no group where none may be made', () => {
  expect(ControlGroup.make(LIMITS, { root, own: '0::/user.slice\n' })).toBeUndefined()
  rmSync(path.join(root, 'cgroup.controllers'))
  expect(ControlGroup.make(LIMITS, { root, own: '4:memory:/none\n' })).toBeUndefined()
  expect(ControlGroup.make(LIMITS, { root, own: '' })).toBeUndefined()
})
