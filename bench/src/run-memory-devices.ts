/**
 * The devices of the bench `run-memory`, all in this process: each has its connection, its session and its part of the run,
 * as an agent has; only their tasks do nothing. Arguments: URL of the broker, fleet, secret, devices, file of the plan.
 */
import { readFileSync } from 'node:fs'
import { DeviceChannel, devicePassword } from '@hivemind/agent-protocol/node'
import { type DevicePorts, DeviceRuntime } from '@hivemind/orchestrator'
import type { Plan } from '@hivemind/synthesis'
import { encodeValue, inlineRef } from '@hivemind/values'

const [url = '', fleet = '', secret = '', deviceCount = '', planFile = ''] = process.argv.slice(2)
const plan = JSON.parse(readFileSync(planFile, 'utf8')) as Plan
const now = (): number => performance.now()

/** Resolves when it is connected. */
function startDevice(device: string): Promise<void> {
  const connected = Promise.withResolvers<void>()
  const ports: DevicePorts = {
    now,
    after: (ms, action) => {
      const timer = setTimeout(action, ms)
      return () => clearTimeout(timer)
    },
    send: (message) => channel.send(message).catch(() => {}),
    whenRoom: () => channel.whenRoom(),
    execute: async (work, onItem) => {
      const from = now()
      const items = work.task.kindIn === 'object' ? work.maxItems : 1
      for (let index = 0; index < items; index += 1)
        await onItem({ value: encodeValue({ n: work.seq + index }) }, index)
      return { items, executionMs: now() - from, waitedMs: 0, callMs: 0, bytesIn: 0 }
    },
    share: async (value) => inlineRef(value),
    pass: (task, item) => {
      for (const { name } of plan.tasks.filter(({ parents }) => parents.includes(task)))
        queueMicrotask(() => runtime.arrived(name, item))
    },
    abortable: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: () => controller.abort() }
    },
  }
  const runtime = new DeviceRuntime(plan, { device, slots: 1 }, ports)
  const channel = new DeviceChannel({
    url,
    fleet,
    device,
    password: devicePassword(secret, device),
    boot: `boot-${device}`,
    hello: () => ({ class: '*', version: '1', runtimes: [], cores: 1, memoryMB: 1 }),
    onDesired: () => {},
    onMessage: (message) => runtime.handle(message),
    onConnection: (there) => there && connected.resolve(),
  })
  return connected.promise
}

process.stdin.on('end', () => process.exit(0)).resume()
for (let index = 1; index <= Number(deviceCount); index += 1) await startDevice(`device-${index}`)
