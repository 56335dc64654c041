/** Agents of machines that dial in, as their owners would start them; they end after each test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect } from 'vitest'
import { hashOfToken, type Target } from '../src/index.ts'
import { until } from './processes.ts'

const AGENT = fileURLToPath(new URL('../../../apps/edge-agent/bin/hivemind-edge-agent.mjs', import.meta.url))

interface Address {
  fleet: string
  broker: string
}

const enrolled = (id: string) => ({
  id,
  class: 'gateway',
  tokenHash: hashOfToken(`token-${id}`),
  enrolledAt: 1,
})
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Machines of the test under way, each with a folder in `dir()`. */
export class MachineAgents {
  readonly machines: readonly string[]
  readonly #dir: () => string
  readonly #agents = new Map<string, ChildProcess>()

  constructor(machines: readonly string[], dir: () => string) {
    this.machines = machines
    this.#dir = dir
    afterEach(async () => {
      for (const child of this.#agents.values()) child.kill('SIGTERM')
      await until(() => [...this.#agents.values()].every(hasEnded), 'the agents of the machines end')
      this.#agents.clear()
    })
  }

  folderOf(machine: string): string {
    return path.join(this.#dir(), `machine-${machine}`)
  }

  /** Enrols all machines at a target. Returns where they dial in. */
  enrol(target: Target): Promise<Address> {
    return target.enrol(this.machines.map(enrolled))
  }

  /** Enrols all machines and starts their agents; resolves when they are there. */
  async start(target: Target): Promise<Address> {
    const address = await this.enrol(target)
    for (const machine of this.machines) this.startOne(machine, address)
    await this.online(target)
    return address
  }

  startOne(machine: string, { fleet, broker }: Address): void {
    const dir = this.folderOf(machine)
    mkdirSync(dir, { recursive: true })
    const file = path.join(dir, 'credential.json')
    const credential = { fleet, broker, device: machine, class: 'gateway', token: `token-${machine}`, dir }
    writeFileSync(file, JSON.stringify({ ...credential, bound: true }))
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
    const child = spawn(process.execPath, [AGENT, '--config', file], { cwd: dir, stdio })
    child.stdout.resume()
    child.stderr.pipe(process.stderr)
    this.#agents.set(machine, child)
  }

  kill(machine: string): void {
    this.#agents.get(machine)?.kill('SIGKILL')
  }

  async online(target: Target): Promise<void> {
    for (const machine of this.machines)
      await expect
        .poll(async () => (await target.fleet()).find(({ id }) => id === machine)?.state, { timeout: 30_000 })
        .toBe('online')
  }
}
