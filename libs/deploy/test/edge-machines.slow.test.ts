/** Edge nodes that are machines of their own: agents that dial in, each with the functions of the tasks on it. */
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { synthesise } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { anyDevices, type Deployment, type DeploymentSpec, localTarget, readProject } from '../src/index.ts'
import { freshTarget } from './fresh-target.ts'
import { MachineAgents } from './machine-agents.ts'
import { processesIn, until } from './processes.ts'
import { expected, placed, projectDir, synthesised, walk } from './walk.ts'

const DEVICES = 3
const MACHINES = ['gate-a', 'Gate_b']
const onNodes = placed('edge-node', { frames: 'edge', position: 'edge' })
const edgeNodes = { name: 'gateway', count: 2, machines: MACHINES }

const fresh = freshTarget()
const agents = new MachineAgents(MACHINES, () => fresh.scratchDir)
const functionsOn = (machine: string): number[] =>
  processesIn(path.join(agents.folderOf(machine), 'functions'))

async function specOf(name: string, more: Partial<DeploymentSpec> = {}): Promise<DeploymentSpec> {
  const synthesis = await synthesised(onNodes)
  return { name, synthesis, projectDir, devices: anyDevices(DEVICES), edgeNodes, ...more }
}

const resource = (deployment: Deployment, name: string) =>
  deployment.status().resources.find((each) => each.name === name)

async function succeeds(deployment: Deployment): Promise<void> {
  const { state, message, outputs } = await deployment.run()
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
}

test('tasks on edge nodes run in processes of their machines, and a later deployment changes only what differs', {
  timeout: 180_000,
}, async () => {
  await agents.start(fresh.target)
  const first = await fresh.target.apply(await specOf('first'))
  expect(resource(first, 'measure@Gate_b')).toEqual({
    kind: 'function',
    name: 'measure@Gate_b',
    state: 'ready',
  })
  expect(functionsOn('gate-a').length).toBeGreaterThanOrEqual(3)
  const { state, message, outputs, spans } = await first.run({ keepSpans: true })
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
  const nodeOf = new Map(
    spans.flatMap(({ device, worker }) => {
      const [, machine] = /@(.+)-\d+$/.exec(worker) ?? []
      return machine === undefined ? [] : [[device, machine] as const]
    }),
  )
  expect([...nodeOf].sort()).toEqual([
    ['device-1', 'gate-a'],
    ['device-2', 'Gate_b'],
    ['device-3', 'gate-a'],
  ])

  await expect(fresh.target.apply(await specOf('other'))).rejects.toThrow(
    "Device 'gate-a' belongs to another deployment (first): undeploy that first.",
  )

  const louder = walk({ loud: { args: { atLeast: 1_000 } } })
  const next = await specOf('next', { synthesis: await synthesised(onNodes, louder) })
  const { changes } = await fresh.target.plan(first, next)
  expect(changes.filter(({ action }) => action !== 'keep').map(({ name, action }) => [action, name])).toEqual(
    [
      ['change', 'loud@gate-a'],
      ['change', 'loud@Gate_b'],
    ],
  )
  const pids = functionsOn('gate-a')
  const second = await fresh.target.apply(next, { current: first })
  const { outputs: none } = await second.run()
  expect(none.map(({ value }) => value)).toEqual([{ count: 0, sum: 0, keys: [], first: null }])
  // the host of `loud` alone is another
  const after = functionsOn('gate-a')
  expect(pids.filter((pid) => after.includes(pid)).length).toBeGreaterThanOrEqual(2)

  // on this machine again: the machines have nothing to run any more
  const here = await fresh.target.apply(await specOf('here', { edgeNodes: { name: 'gateway', count: 2 } }), {
    current: second,
  })
  await succeeds(here)
  await until(
    () => MACHINES.every((machine) => functionsOn(machine).length === 0),
    'the functions on the machines end',
    40_000,
  )
})

test('a process that is killed is started again; the devices of a machine that is away are served by the others, until it is back', {
  timeout: 180_000,
}, async () => {
  const address = await agents.start(fresh.target)
  const deployment = await fresh.target.apply(await specOf('killed'))
  for (const pid of functionsOn('gate-a')) process.kill(pid, 'SIGKILL')
  await succeeds(deployment)

  // in the midst of a run
  const running = succeeds(deployment)
  agents.kill('gate-a')
  await running
  await until(() => resource(deployment, 'measure@gate-a')?.state === 'failed', 'it is missed')
  expect(resource(deployment, 'measure@gate-a')?.message).toBe("Edge node 'gate-a' is away.")
  const { spans } = await deployment.run({ keepSpans: true })
  const workers = spans.filter(({ task }) => task === 'measure').map(({ worker }) => worker)
  expect(new Set(workers.map((worker) => worker.replace(/-\d+$/, '')))).toEqual(new Set(['measure@Gate_b']))

  agents.kill('Gate_b')
  await until(() => resource(deployment, 'measure@Gate_b')?.state === 'failed', 'it is missed')
  setTimeout(() => agents.startOne('gate-a', address), 1_000)
  await succeeds(deployment)
  expect(resource(deployment, 'measure@gate-a')?.state).toBe('ready')

  agents.kill('gate-a')
  await until(() => resource(deployment, 'measure@gate-a')?.state === 'failed', 'it is missed')
  const { state, message } = await deployment.run()
  expect(state).toBe('failed')
  expect(message).toMatch(/Edge node '.*' and all others have been away for more than 10 s/)
})

test('functions on machines outlive the service, which finds them again; what a machine cannot start is said', {
  timeout: 180_000,
}, async () => {
  const dir = path.join(fresh.scratchDir, 'service')
  const leaseSeconds = 30
  const first = localTarget({ dir, leaseSeconds })
  await agents.start(first)
  const spec = await specOf('kept')
  const record = (await first.apply(spec)).record()
  const pids = functionsOn('gate-a')
  await first.close()

  const second = localTarget({ dir, leaseSeconds })
  try {
    await agents.enrol(second)
    const deployment = (await second.attach(record, spec)) as Deployment
    await agents.online(second)
    await succeeds(deployment)
    expect(functionsOn('gate-a')).toEqual(expect.arrayContaining(pids.slice(0, 1)))

    const dir = path.join(fresh.scratchDir, 'broken')
    cpSync(projectDir, dir, { recursive: true })
    writeFileSync(path.join(dir, 'tasks/loud.mjs'), 'throw new Error("no such camera")')
    const { files } = await readProject(dir)
    const synthesis = synthesise({ name: 'walk', workflow: walk(), placement: onNodes, files })
    const next = await specOf('broken', { synthesis, projectDir: dir })
    await expect(second.apply(next, { current: deployment })).rejects.toThrow(
      /^On edge node '(gate-a|Gate_b)': .*no such camera/s,
    )
    await succeeds(deployment)
    await deployment.undeploy()
  } finally {
    await second.close()
  }
})

test('a machine that is not there or is a device too is refused, by its name', async () => {
  const { target } = fresh
  const refusal = async (more: Partial<DeploymentSpec>) =>
    target.apply(await specOf('refused', more)).then(
      () => 'deployed',
      (error: Error) => error.message,
    )
  expect(await refusal({})).toContain("There is no device 'gate-a': enrol it, or leave it out.")
  await agents.enrol(target)
  expect(await refusal({})).toContain("Device 'gate-a' is not connected: start its agent, or leave it out.")
  const devices = [...anyDevices(1), { name: 'gate-a', class: 'gateway', enrolled: true }]
  expect(await refusal({ devices })).toContain(
    "Device 'gate-a' is an edge node of this deployment, and cannot be one of its devices too.",
  )
})
