/** `hivemind fabric`: what is kept is shown; what cannot be is refused. Builds and boards: `npm run hdl:test`. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { FabricCache, writeVerdict } from '@hivemind/fabric'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exit, killRunning, type Outcome, scratchProject, start } from './command.ts'

const ID = 'a1'.repeat(32)
const clock = { name: 'clk', achievedMhz: 101.5, requiredMhz: 125 }
const manifest = {
  format: 3,
  id: ID,
  design: 'b2'.repeat(32),
  generator: 'd4'.repeat(32),
  engines: ['distil'],
  device: 'LFE5UM5G-85F-8BG554I',
  board: 'ecpix5',
  parameters: { 'distil.sources': 8 },
  interface: '00000000-0000-3000-8000-000000000000',
  registerMapHash: 'c3'.repeat(32),
  tools: {},
  seeds: [
    { seed: 1, clocks: [clock], isTimingMet: false },
    { seed: 2, clocks: [], isTimingMet: false, problem: 'the router goes in circles' },
  ],
  seed: 1,
  isTimingMet: false,
  clocks: [clock],
  criticalPaths: [{ from: 'a', to: 'b', clock: 'clk', delayNs: 9.85, routingNs: 6 }],
  utilisation: [{ resource: 'TRELLIS_COMB', used: 8364, available: 83640 }],
  files: {},
}

let scratch: Awaited<ReturnType<typeof scratchProject>>
let board: string
let server: Server
let answer: unknown
beforeAll(async () => {
  scratch = await scratchProject()
  board = path.join(scratch.folder, 'board')
  const build = path.join(scratch.folder, 'kept/builds', ID)
  mkdirSync(build, { recursive: true })
  writeFileSync(path.join(build, 'manifest.json'), JSON.stringify(manifest))
  mkdirSync(board)
  server = createServer((socket) => socket.on('data', () => socket.write(`${JSON.stringify(answer)}\n`)))
  await new Promise<void>((resolve) => server.listen(path.join(board, 'load.sock'), resolve))
})
afterAll(async () => {
  server.close()
  killRunning()
  await scratch.remove()
})

const fabric = (args: string[], kept = 'kept', env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  start(['fabric', ...args], { ...env, HIVEMIND_FABRIC_DIR: path.join(scratch.folder, kept) }).outcome

it('lists and shows what is kept, and that a timing is not met', { timeout: 180_000 }, async () => {
  expect((await fabric(['list'], 'none')).stderr).toContain('There is no build yet')
  const list = await fabric(['list'])
  expect(list).toMatchObject({ code: exit.fine, stdout: expect.stringContaining('a1a1a1a1a1a1') })
  expect(list.stdout).toContain('TIMING NOT MET')
  expect(JSON.parse((await fabric(['show', 'a1a1', '--json'])).stdout)).toEqual(manifest)
  const { stdout } = await fabric(['show', 'a1a1'])
  expect(stdout).toContain('clk 101.5 MHz of 125: timing not met, packed')
  expect(stdout).toMatch(/^ {2}seed 2 +the router goes in circles$/m)
  expect(stdout).toContain('TRELLIS_COMB 8364 of 83640 (10.0 %)')
  expect(stdout).toContain('clk: 9.85 ns, 6 ns of it in wires, from a to b')
  expect(stdout).toContain('its sources have not passed `npm run hdl:test` on this machine')
  const counts = { simulations: 202, proofs: 34, plantedBugs: 54 }
  const verdict = { suite: 'full', passedAt: '2026-01-02T03:04:05.000Z', ...counts } as const
  writeVerdict(new FabricCache(path.join(scratch.folder, 'kept')), manifest.generator, verdict)
  expect((await fabric(['show', 'a1a1'])).stdout).toContain(
    '202 simulations, 34 proofs, 54 planted bugs (full) passed on 2026-01-02',
  )
})

it('signs a build; one that was changed since is said to be damaged', { timeout: 60_000 }, async () => {
  const key = path.join(scratch.folder, 'key.pem')
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key])
  expect((await fabric(['show', 'a1a1'])).stdout).toMatch(/^ {2}signed +by nobody$/m)
  const signed = await fabric(['sign', 'a1a1', '--key', key])
  expect(signed).toMatchObject({
    code: exit.fine,
    stdout: expect.stringMatching(/a1a1a1a1a1a1 is signed by the key [0-9a-f]{16}\./),
  })
  const [fingerprint] = /[0-9a-f]{16}/.exec(signed.stdout.split('key ')[1] as string) as RegExpExecArray
  expect((await fabric(['show', 'a1a1'])).stdout).toContain(`by the key ${fingerprint}`)
  const trusted = path.join(scratch.folder, 'trusted.pem')
  const env = { HIVEMIND_FABRIC_TRUSTED: trusted }
  const sim = () => fabric(['sim', 'a1a1', '--board', path.join(scratch.folder, 'other')], 'kept', env)
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', `${key}.2`])
  execFileSync('openssl', ['pkey', '-in', `${key}.2`, '-pubout', '-out', trusted])
  expect(await sim()).toMatchObject({
    code: exit.other,
    stderr: expect.stringContaining(`signed by the key ${fingerprint}, which is not in`),
  })
  execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', trusted])
  // the build has no Verilog: past the check, its model is what fails
  expect((await sim()).stderr).not.toContain('not-trusted')
  rmSync(trusted)
  expect(await sim()).toMatchObject({
    code: exit.usage,
    stderr: expect.stringContaining(`There is no file ${trusted}.`),
  })
  const file = path.join(scratch.folder, 'kept/builds', ID, 'manifest.json')
  writeFileSync(file, JSON.stringify({ ...manifest, seed: 2 }))
  expect(await fabric(['show', 'a1a1'])).toMatchObject({
    code: exit.other,
    stderr: expect.stringContaining('is not a signature of the manifest beside it: sign it again. (damaged)'),
  })
  writeFileSync(file, JSON.stringify(manifest))
})

describe('what is refused', { timeout: 180_000 }, () => {
  it.each([
    [['show', 'zz'], exit.usage, "There is no build 'zz'."],
    [['build', '--set', 'sources'], exit.usage, 'It must be NAME=NUMBER.'],
    [['build', '--seeds', '0'], exit.usage, 'It must be a whole number from 1 to 64.'],
    [['build', '--jobs', '0'], exit.usage, 'It must be a whole number from 1 to 64.'],
    [['sign', 'a1'], exit.usage, "required option '--key <file>' not specified"],
    [['sign', 'a1', '--key', '/nowhere/key.pem'], exit.usage, 'There is no file /nowhere/key.pem.'],
    [['regs', '--board', '/nowhere'], exit.other, 'no board runs there'],
    [['regs', 'window=x', '--board', '/nowhere'], exit.usage, 'It must be NAME=VALUE'],
    [['load', 'a1', '--board', '/nowhere'], exit.other, "No board answers in '/nowhere'"],
  ])('%o', async (args, code, message) => {
    expect(await fabric(args)).toMatchObject({ code, stderr: expect.stringContaining(message) })
  })
})

it('serves no board that is attached without its lines, and names the one that is missing', {
  timeout: 180_000,
}, async () => {
  const tool = path.join(scratch.folder, 'bin/openFPGALoader')
  mkdirSync(path.dirname(tool))
  writeFileSync(tool, `#!/bin/sh\nprintf 'index 0:\\n\\tidcode 0x81113043\\n'\n`)
  chmodSync(tool, 0o755)
  const env = { PATH: `${path.dirname(tool)}:${process.env.PATH}` }
  const attach = (...more: string[]) =>
    fabric(['attach', 'a1', '--board', board, '--serial', '/dev/none', ...more], 'kept', env)
  expect(await attach('--interface', 'none0')).toMatchObject({
    code: exit.other,
    stderr: expect.stringContaining(
      "The serial line '/dev/none' cannot be opened: No such file or directory.",
    ),
  })
  expect((await attach()).stderr).toContain("required option '--interface <name>' not specified")
  const other = await attach('--interface', 'none0', '--probe', 'other')
  expect(other).toMatchObject({ code: exit.usage, stderr: expect.stringContaining('ecpix5, ecpix5_r03') })
})

it('says what became of a load, and a roll back by its exit code', { timeout: 180_000 }, async () => {
  const load = () => fabric(['load', 'a1', '--board', board])
  answer = { id: ID }
  expect(await load()).toMatchObject({
    code: exit.fine,
    stdout: expect.stringContaining('passed its self-test'),
  })
  expect(await fabric(['load', 'a1', '--board', board, '--dry-run'])).toMatchObject({
    code: exit.fine,
    stdout: 'The checks before a load are passed. Nothing was written: loaded is a1a1a1a1a1a1.\n',
  })
  answer = { id: ID, rolledBackFrom: { id: 'ff'.repeat(32), reason: 'SCRATCH holds 1.' } }
  expect(await load()).toMatchObject({
    code: exit.other,
    stdout: 'Build ffffffffffff failed: SCRATCH holds 1. Rolled back to a1a1a1a1a1a1.\n',
  })
  answer = { error: { code: 'interface-mismatch', message: 'Another interface.' } }
  expect(await load()).toMatchObject({
    code: exit.other,
    stderr: expect.stringContaining('Another interface. (interface-mismatch)'),
  })
})
