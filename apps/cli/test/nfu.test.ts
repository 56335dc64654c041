/** `hivemind nfu`: servers as a person starts them, and the comparison. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { exit, hivemind, json, killRunning, start } from './command.ts'

afterAll(() => killRunning())

async function socket() {
  const result = createSocket('udp4')
  result.bind(0, '127.0.0.1')
  await once(result, 'listening')
  return result
}

async function freePort(): Promise<number> {
  const probe = await socket()
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  return port
}

it.each([[[]], [['--in-c']]])(
  'serves a function %j: readings come in, a summary goes to the next hop',
  { timeout: 120_000 },
  async (more) => {
    const next = await socket()
    const port = await freePort()
    const hop = `127.0.0.1:${next.address().port}`
    const server = start([
      'nfu',
      'serve',
      'nfu:max?window=2',
      '--port',
      String(port),
      '--next',
      hop,
      '--json',
      ...more,
    ])
    await expect.poll(() => server.printed(), { timeout: 60_000 }).toContain('}')
    expect(JSON.parse(server.printed())).toMatchObject({ code: 'nfu:max?window=2', host: '127.0.0.1', port })
    const came = once(next, 'message')
    const client = await socket()
    for (const value of ['07', '05']) client.send(Buffer.from(`500200${value}ff${value}`, 'hex'), port)
    expect(((await came)[0] as Buffer).toString('hex')).toBe('50020005fffb401c000000000000')
    const other = await hivemind('nfu', 'serve', 'nfu:forward', '--port', String(port), ...more)
    expect([other.code === exit.fine, other.stderr]).toEqual([
      false,
      expect.stringMatching(/EADDRINUSE|another process/),
    ])
    server.kill('SIGINT')
    expect((await server.outcome).stderr).toContain('everything that was started has been stopped')
    client.close()
    next.close()
  },
)

it('ends with a sentence when the server in C is killed', { timeout: 60_000 }, async () => {
  const server = start([
    'nfu',
    'serve',
    'nfu:forward',
    '--port',
    String(await freePort()),
    '--in-c',
    '--json',
  ])
  await expect.poll(() => server.printed(), { timeout: 60_000 }).toContain('}')
  const [child] = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')
  process.kill(Number(child), 'SIGKILL')
  const { code, stderr } = await server.outcome
  expect([code, stderr]).toEqual([exit.other, expect.stringContaining('The server in C has ended')])
})

it('says what is wrong with a function or an address', { timeout: 120_000 }, async () => {
  const wrong = await hivemind('nfu', 'serve', 'nfu:median')
  expect([wrong.code, wrong.stderr]).toEqual([exit.usage, expect.stringContaining("no op 'median'")])
  const hop = await hivemind('nfu', 'serve', 'nfu:forward', '--next', 'here')
  expect([hop.code, hop.stderr]).toEqual([exit.usage, expect.stringContaining('HOST:PORT')])
  const endless = await hivemind('nfu', 'compare', 'nfu:average')
  expect([endless.code, endless.stderr]).toEqual([exit.usage, expect.stringContaining('?window=10')])
  const nobody = await hivemind(
    'nfu',
    'compare',
    'nfu:average?window=2',
    '--sensors',
    '1',
    '--rounds',
    '1',
    '--board',
    '/nowhere',
  )
  expect([nobody.code, nobody.stderr]).toEqual([exit.other, expect.stringContaining('no board runs there')])
})

it('compares Node.js and C: the same answers', { timeout: 120_000 }, async () => {
  const { results } = json<{
    results: { name: string; equal: number; expected: number; wrong: number; readingsPerSecond: number }[]
  }>(await hivemind('nfu', 'compare', 'nfu:average?window=3', '--sensors', '5', '--rounds', '4', '--json'))
  expect(results.map(({ name }) => name)).toEqual(['edge, Node.js', 'edge, C'])
  for (const { equal, expected, wrong, readingsPerSecond } of results) {
    expect([equal, expected, wrong]).toEqual([40, 40, 0])
    expect(readingsPerSecond).toBeGreaterThan(0)
  }
})
