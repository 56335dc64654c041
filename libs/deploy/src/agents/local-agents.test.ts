/** What a run is told of agents that end and come back, over a link that delivers what it is given. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Down, decodeDown, encode, Session, topicOf, type Up } from '@hivemind/agent-protocol'
import type { LinkHandler, OpenLink } from '@hivemind/agent-protocol/node'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LocalAgents } from './local-agents.ts'

const FLEET = 'tests'
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let dir: string
let agents: LocalAgents
let handler: LinkHandler
/** The agents of the test, by device: what the service sends them goes there. */
let sessions: Map<string, Session<Up, Down>>
let told: string[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] })
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-agents-'))
  sessions = new Map()
  told = []
  const openLink: OpenLink = (_, link) => {
    handler = link
    return {
      publish: (topic, payload) => {
        for (const [device, session] of sessions)
          if (topic === topicOf(FLEET, device, 'down')) session.receive(decodeDown(payload))
      },
      close: async () => {},
    }
  }
  agents = new LocalAgents({
    ...{ fleet: FLEET, secret: 'secret', brokerUrl: () => 'mqtt://nowhere', openLink, boot: 'service', dir },
    life: 'bound',
    maxRestarts: 0,
    command: [process.execPath, '-e', 'process.exit(7)', '--'],
    onUp: (device) => told.push(`${device} up`),
    onLost: (device, message, again) => told.push(`${message} ${again ? 'Again.' : `${device} is gone.`}`),
  })
  handler.onConnect()
})
afterEach(async () => {
  vi.useRealTimers()
  await agents.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** An agent calls in: after a few turns its session is open. */
async function callIn(device: string, boot: string): Promise<void> {
  const session: Session<Up, Down> = new Session<Up, Down>({ boot, deliver: () => {}, wake: () => {} })
  sessions.set(device, session)
  session.connected()
  for (let count = 0; count < 8; count++) {
    for (const frame of session.frames())
      handler.onMessage(topicOf(FLEET, device, 'up'), encode(frame), false)
    await turn()
  }
  expect(agents.channel.bootOf(device)).toBe(boot)
}

test('an agent that was started again before it was missed is told as lost: what it was told is void', async () => {
  agents.enrolled.add({ id: 'drone', class: 'drone', tokenHash: '', enrolledAt: 0 })
  await callIn('drone', 'first')
  await callIn('drone', 'second')
  expect(told).toEqual(['drone up', 'Agent drone was started again. Again.', 'drone up'])
})

test('an agent that has ended for good, and is heard once more by an old message, is told as lost again', async () => {
  const started = agents.start([{ device: 'own.d1', class: 'drone' }])
  await expect(started).rejects.toThrow('exit code 7')
  await callIn('own.d1', 'dead')
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual([
    'Agent own.d1 was lost (exit code 7). own.d1 is gone.',
    'own.d1 up',
    expect.stringMatching(/^Agent own.d1 was lost \(silent for 3\.\d s\)\. own\.d1 is gone\.$/),
  ])
  expect(agents.isUp('own.d1')).toBe(false)
})
