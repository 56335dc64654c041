import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const redisOf = (env: Record<string, string>) => {
  const config = readConfig([], env)
  if (config === 'help') throw new Error('no help was asked for')
  return config.redis
}

test('the store is in the data folder, or on the Redis server that is named', () => {
  expect(redisOf({})).toBeUndefined()
  expect(redisOf({ HIVEMIND_STORE_URL: 'redis://host:6380', HIVEMIND_STORE_REPLICAS: '2' })).toEqual({
    url: 'redis://host:6380',
    replicas: 2,
  })
})

const SECURE = 'rediss://host'
test.each([
  [{ HIVEMIND_STORE_URL: 'host:6380' }, /HIVEMIND_STORE_URL is 'host:6380'.*redis:\/\//],
  [{ HIVEMIND_STORE_URL: 'http://host' }, /HIVEMIND_STORE_URL is 'http:\/\/host'/],
  [{ HIVEMIND_STORE_REPLICAS: 'two' }, /HIVEMIND_STORE_REPLICAS is 'two': give a whole number from 0/],
  [{ HIVEMIND_STORE_URL: SECURE, HIVEMIND_STORE_CA: '/none' }, /HIVEMIND_STORE_CA is '\/none'.*PEM/],
  [{ HIVEMIND_STORE_URL: 'redis://host', HIVEMIND_STORE_CA: '/none' }, /HIVEMIND_STORE_CA is for TLS/],
])('a store that cannot be meant is refused: %j', (env, sentence) => {
  expect(() => redisOf(env)).toThrow(sentence)
})

const sandboxOf = (args: string[], env: Record<string, string>) => {
  const config = readConfig(args, env)
  if (config === 'help') throw new Error('no help was asked for')
  return config.sandbox
}

test('a sandbox is required of a service that others reach, unless it is off', () => {
  const open = ['--host', '192.0.2.1']
  const env = { HIVEMIND_PASSWORD: 'x' }
  expect(sandboxOf([], {})).toBe('auto')
  expect(sandboxOf(open, env)).toBe('required')
  expect(sandboxOf(open, { ...env, HIVEMIND_SANDBOX: 'off' })).toBe('off')
  expect(sandboxOf([], { HIVEMIND_SANDBOX: 'required' })).toBe('required')
  expect(() => sandboxOf([], { HIVEMIND_SANDBOX: 'no' })).toThrow(/HIVEMIND_SANDBOX is 'no': give one of/)
})

const dialInOf = (host: string, port?: string) => {
  const config = readConfig([], { HIVEMIND_DEVICES_HOST: host, ...(port && { HIVEMIND_DEVICES_PORT: port }) })
  if (config === 'help') throw new Error('no help was asked for')
  return config.dialIn
}

test('devices of other machines dial in where the settings say', () => {
  expect(readConfig([], {})).not.toHaveProperty('dialIn')
  expect(dialInOf('192.0.2.1')).toEqual({ address: '192.0.2.1' })
  expect(dialInOf('192.0.2.1', '8883')).toEqual({ address: '192.0.2.1', port: 8883 })
  expect(dialInOf('swarm.example:443', '8883')).toEqual({
    address: 'swarm.example',
    dialPort: 443,
    port: 8883,
  })
  expect(dialInOf('2001:db8::1')).toEqual({ address: '2001:db8::1' })
  expect(dialInOf('2001:0DB8::1')).toEqual({ address: '2001:db8::1' })
  expect(dialInOf('[2001:db8::1]:99')).toEqual({ address: '2001:db8::1', dialPort: 99 })
})

test('the authority of a broker comes from a file', () => {
  const env = { HIVEMIND_BROKER_URL: 'mqtts://b', HIVEMIND_BROKER_USER: 'u', HIVEMIND_BROKER_PASSWORD: 'p' }
  expect(readConfig([], env)).toMatchObject({ broker: { url: 'mqtts://b', username: 'u', password: 'p' } })
  for (const HIVEMIND_BROKER_CA of ['/nowhere.pem', '/etc/hostname'])
    expect(() => readConfig([], { ...env, HIVEMIND_BROKER_CA })).toThrow(
      /HIVEMIND_BROKER_CA is '.*', which has no certificate that can be read/,
    )
})

test.each([
  ['0.0.0.0', undefined, /'0\.0\.0\.0', which no device can dial/],
  ['https://swarm.example', undefined, /'https:\/\/swarm\.example': give a name or address/],
  ['swarm.example/x', undefined, /give a name or address/],
  ['swarm example', undefined, /give a name or address/],
  ['swarm.example:99999', undefined, /give a name or address/],
  ['swarm.example', 'mqtt', /HIVEMIND_DEVICES_PORT is 'mqtt': give a port/],
  ['swarm.example', '0', /HIVEMIND_DEVICES_PORT is '0'/],
  ['', '8883', /HIVEMIND_DEVICES_PORT needs HIVEMIND_DEVICES_HOST/],
])('an address for devices that cannot be meant is refused: %j, port %j', (host, port, sentence) => {
  expect(() => dialInOf(host, port)).toThrow(sentence)
})
