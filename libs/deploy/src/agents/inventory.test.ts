import type { Hello } from '@hivemind/agent-protocol'
import { deviceAuthenticator } from '@hivemind/agent-protocol/node'
import { expect, test } from 'vitest'
import { Inventory } from './inventory.ts'

const hello = (device: string, deviceClass: string): Hello => ({
  device,
  class: deviceClass,
  version: '1',
  boot: 'b',
  runtimes: ['node'],
  cores: 4,
  memoryMB: 1_000,
})

function inventory(devices?: { id: string; class: string; enrolledAt: number }[]) {
  const changes: string[] = []
  let now = 1_000
  const of = new Inventory({
    fleet: 'f',
    secret: 's',
    ...(devices ? { devices } : {}),
    onChange: (device) => changes.push(device),
    now: () => now,
  })
  return { of, changes, at: (ms: number) => (now = ms) }
}

test('a device is enrolled with a credential that opens the broker, until it is forgotten', () => {
  const { of } = inventory()
  const credential = of.enrol('drone-1', 'drone')
  expect(credential).toMatchObject({ fleet: 'f', device: 'drone-1', class: 'drone' })
  const authenticate = deviceAuthenticator({ fleet: 'f', secret: 's', isEnrolled: (id) => of.isEnrolled(id) })
  expect(authenticate('drone-1', credential.token)).toEqual({ role: 'device', fleet: 'f', device: 'drone-1' })
  expect(authenticate('drone-2', credential.token)).toBeNull()
  expect(of.enrol('drone-1', 'rover').token).toBe(credential.token)
  expect(of.forget('drone-1')).toBe(true)
  expect(of.forget('drone-1')).toBe(false)
  expect(authenticate('drone-1', credential.token)).toBeNull()
  expect(() => of.enrol('a/b', 'drone')).toThrow("'a/b' cannot be the id of a device")
})

test('states follow what is heard; classes may be mixed', () => {
  const { of, at } = inventory([{ id: 'rover-1', class: 'rover', enrolledAt: 5 }])
  of.enrol('drone-1', 'drone')
  const states = () => of.list().map(({ id, state }) => `${id} ${state}`)
  expect(states()).toEqual(['rover-1 enrolled', 'drone-1 enrolled'])
  of.presence('drone-1', true)
  at(2_000)
  of.beat('rover-1')
  expect(states()).toEqual(['rover-1 online', 'drone-1 online'])
  expect(of.online('drone').map(({ id }) => id)).toEqual(['drone-1'])
  expect(of.get('rover-1')?.seenAt).toBe(2_000)
  of.silent('rover-1')
  of.presence('drone-1', false)
  of.silent('drone-1')
  expect(states()).toEqual(['rover-1 silent', 'drone-1 gone'])
  of.beat('rover-1')
  expect(of.online().map(({ id }) => id)).toEqual(['rover-1'])
  expect(of.enrolled().map(({ id, class: c }) => [id, c])).toEqual([
    ['rover-1', 'rover'],
    ['drone-1', 'drone'],
  ])
})

test('what is wrong with a device is said; unknown devices are not listed', () => {
  const { of, changes } = inventory()
  of.hello('stranger', hello('stranger', 'drone'))
  of.beat('stranger')
  expect(of.list()).toEqual([])
  expect(changes).toEqual([])
  of.enrol('d', 'drone')
  of.hello('d', hello('d', 'rover'))
  expect(of.get('d')?.problem).toBe("Device 'd' was enrolled as 'drone', but its agent says 'rover'.")
  of.hello('d', hello('d', 'drone'))
  expect(of.get('d')?.problem).toBeUndefined()
  of.applied('d', { revision: 1, boot: 'b', deployments: [{ id: 'x', state: 'failed', error: 'No disk.' }] })
  expect(of.get('d')?.problem).toBe("Deployment 'x' could not be applied on device 'd': No disk.")
})
