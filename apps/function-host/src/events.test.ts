/** What a function takes and gives over HTTP: CloudEvents of any client, strictly. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  CALL_TYPE,
  decodeOutcome,
  encodeCall,
  type FunctionFrame,
  ITEMS_TYPE,
  OUTCOME_TYPE,
  proofOf,
  readFunctionFrames,
  statsFromAttributes,
} from '@hivemind/task-runner'
import { decodeValue, encodeCbor, encodeValue } from '@hivemind/values'
import { CloudEvent, HTTP } from 'cloudevents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ce, closeAll, serve } from '../test/host.ts'

afterAll(closeAll)

let echo: string
beforeAll(async () => {
  echo = (await serve({ do: 'first' })).url
})

const post = (url: string, headers: Record<string, string>, body?: string | Uint8Array) =>
  fetch(url, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> | string }),
  })

const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer())
const statsOf = (answer: Response) =>
  statsFromAttributes((name) => answer.headers.get(`ce-${name}`) ?? undefined)

describe('an event in binary mode', () => {
  it('comes back with the item, its type and how it went', async () => {
    const answer = await post(
      echo,
      { ...ce({ 'ce-subject': 'Ger%C3%A4t 1' }), 'content-type': 'image/jpeg' },
      new Uint8Array([255, 216]),
    )
    expect(answer.status).toBe(200)
    // bytes alone have the type that the task declares, and this one declares none
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(await bytesOf(answer)).toEqual(new Uint8Array([255, 216]))
    const attributes = ['id', 'source', 'specversion', 'type', 'subject'].map((name) =>
      answer.headers.get(`ce-${name}`),
    )
    expect(attributes).toEqual([
      'e-1/0',
      '/hivemind/patrol/work',
      '1.0',
      'dev.hivemind.patrol.y',
      'Ger%C3%A4t%201',
    ])
    const stats = statsOf(answer)
    expect(stats).toMatchObject({ items: 1, bytesIn: 2, bytesOut: 2, worker: 'work-1' })
    expect(stats.endedAt).toBeGreaterThanOrEqual(stats.startedAt)
    expect(Math.abs(stats.endedAt - Date.now())).toBeLessThan(10_000)
  })

  it('gives JSON for JSON, and CBOR for CBOR', async () => {
    const json = await post(echo, { ...ce(), 'content-type': 'application/json' }, '{"n":[1,"ä",null]}')
    expect([json.headers.get('content-type'), await json.json()]).toEqual([
      'application/json',
      { n: [1, 'ä', null] },
    ])
    const cbor = await post(
      echo,
      { ...ce(), 'content-type': 'application/cbor' },
      encodeCbor({ raw: new Uint8Array([1]) }),
    )
    expect(cbor.headers.get('content-type')).toBe('application/cbor')
    expect(decodeValue({ type: 'application/cbor', bytes: await bytesOf(cbor) })).toEqual({
      raw: new Uint8Array([1]),
    })
  })

  it('may have no data', async () => {
    expect(decodeValue({ type: 'application/cbor', bytes: await bytesOf(await post(echo, ce())) })).toBe(null)
  })

  it('names its input, or has all of them in one map', async () => {
    const { url } = await serve({ do: 'echo' }, { dataIn: ['a', 'b'] })
    const type = { 'content-type': 'application/json' }
    expect(await (await post(url, { ...ce({ 'ce-hminput': 'b' }), ...type }, '7')).json()).toEqual({ b: 7 })
    expect(await (await post(url, { ...ce(), ...type }, '{"a":1,"c":2}')).json()).toEqual({ a: 1, b: null })
    const wrong = await post(url, { ...ce(), ...type }, '[1]')
    expect([wrong.status, await wrong.json()]).toEqual([
      400,
      { message: "The task 'work' reads a, b: the data must be a map of these." },
    ])
  })
})

describe('an event in structured mode', () => {
  const structured = (event: Record<string, unknown> | string) =>
    post(
      echo,
      { 'content-type': 'application/cloudevents+json; charset=utf-8' },
      typeof event === 'string' ? event : JSON.stringify(event),
    )
  const event = { id: 'e-1', source: '/test', specversion: '1.0', type: 'dev.test' }

  it('is answered in structured mode', async () => {
    const answer = await structured({ ...event, data: { n: 'ä' } })
    expect(answer.headers.get('content-type')).toBe('application/cloudevents+json; charset=utf-8')
    expect(await answer.json()).toMatchObject({
      id: 'e-1/0',
      source: '/hivemind/patrol/work',
      specversion: '1.0',
      type: 'dev.hivemind.patrol.y',
      datacontenttype: 'application/json',
      data: { n: 'ä' },
      hmitems: '1',
    })
  })

  it('takes bytes as base64, and text of other types', async () => {
    const bytes = await structured({ ...event, datacontenttype: 'image/jpeg', data_base64: '/9g=' })
    expect(await bytes.json()).toMatchObject({
      datacontenttype: 'application/octet-stream',
      data_base64: '/9g=',
    })
    const json = await structured({
      ...event,
      datacontenttype: 'application/geo+json',
      data_base64: btoa('{"a":1}'),
    })
    expect(await json.json()).toMatchObject({ data: { a: 1 } })
    const text = await structured({ ...event, datacontenttype: 'text/plain', data: 'hä' })
    expect(await text.json()).toMatchObject({ data_base64: Buffer.from('hä').toString('base64') })
  })

  it.each([
    ['not JSON', '{', /^The event is not valid JSON/],
    ['a list', '[]', /must be a JSON object/],
    ['no id', { ...event, id: undefined }, /lacks the required attribute 'id'/],
    ['an empty type', { ...event, type: '' }, /lacks the required attribute 'type'/],
    ['another version', { ...event, specversion: '0.3' }, /'specversion' is '0.3'; a function takes '1.0'/],
    ['two data', { ...event, data: 1, data_base64: 'AQ==' }, /'data' or 'data_base64', not both/],
    ['no base64', { ...event, data_base64: 'a' }, /must be base64/],
    ['a nested attribute', { ...event, extension: {} }, /'extension' must be text, a number or a boolean/],
    ['a name in capitals', { ...event, hmRun: 'x' }, /'hmRun' must have a name of lower-case letters/],
    ['a time', { ...event, time: 'yesterday' }, /'time' must be a time as in RFC 3339/],
    [
      'an object of another type',
      { ...event, datacontenttype: 'image/png', data: {} },
      /must be text in 'data', or base64/,
    ],
  ])('is refused with a sentence: %s', async (_, given, sentence) => {
    const answer = await structured(given as Record<string, unknown> | string)
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { message: string }).message).toMatch(sentence)
  })
})

describe('a request', () => {
  it.each([
    ['without a required attribute', 400, { 'ce-source': '' }, /lacks the required attribute 'source'/],
    ['with a source that is no URI', 400, { 'ce-source': 'a b' }, /'source' must be a URI reference/],
    ['with a number that is none', 400, { 'ce-hmseq': 'x' }, /'hmseq' must be a number from 0, not 'x'/],
    ['with data it cannot read', 400, { 'content-type': CALL_TYPE }, /cannot be read/],
    ['as a batch', 415, { 'content-type': 'application/cloudevents-batch+json' }, /takes one CloudEvent/],
    ['that is compressed', 415, { 'content-encoding': 'gzip' }, /takes no gzip encoding/],
  ] as const)('%s is refused: %i', async (_, status, headers, sentence) => {
    const answer = await post(echo, { ...ce(), 'content-type': 'application/json', ...headers }, '1')
    expect(answer.status).toBe(status)
    expect(((await answer.json()) as { message: string }).message).toMatch(sentence)
  })

  it('that is no CloudEvent is refused', async () => {
    const answer = await post(echo, { 'content-type': 'application/json' }, '1')
    expect([answer.status, await answer.json()]).toEqual([
      415,
      { message: expect.stringMatching(/no CloudEvent/) },
    ])
    expect((await fetch(echo)).status).toBe(405)
    expect((await post(`${echo}other`, ce())).status).toBe(404)
  })

  it('may have 64 MB and no more', async () => {
    const at = { ...ce(), 'content-type': 'image/raw' }
    const most = await post(echo, at, new Uint8Array(64 * 1024 * 1024))
    expect([most.status, (await bytesOf(most)).length]).toEqual([200, 64 * 1024 * 1024])
    const large = await post(echo, at, new Uint8Array(64 * 1024 * 1024 + 1))
    expect([large.status, await large.json()]).toEqual([
      413,
      { message: 'An event may have at most 67108864 bytes.' },
    ])
  })

  it('needs the token where there is one', async () => {
    const { url } = await serve({ do: 'first' }, { token: 'secret' })
    expect((await post(url, ce())).status).toBe(401)
    expect((await post(url, { ...ce(), authorization: 'Bearer wrong!' })).status).toBe(401)
    expect((await post(url, { ...ce(), authorization: 'Bearer secret' })).status).toBe(200)
    expect((await fetch(`${url}lease`)).status).toBe(401)
    expect((await fetch(`${url}healthz`)).status).toBe(200)
  })

  it('proves that it knows its token, and does not tell it', async () => {
    const ask = async (to: string, challenge: string) =>
      fetch(`${to}proof`, { headers: { 'hm-challenge': challenge } })
    const { url } = await serve({ do: 'first' }, { token: 'secret' })
    const answer = await ask(url, 'c1')
    expect(await answer.json()).toEqual({ proof: proofOf('secret', 'c1') })
    expect((await ask(url, 'x'.repeat(200))).status).toBe(400)
    const { url: open } = await serve({ do: 'first' }, {})
    expect((await ask(open, 'c1')).status).toBe(404)
  })

  it('holds a request for a time, for who has the token, and lets it go when it ends', async () => {
    const { url, server } = await serve({ do: 'first' }, { token: 'secret' })
    const hold = async (ms: string, token = 'secret') => {
      const from = performance.now()
      const { status } = await fetch(`${url}hold?ms=${ms}`, { headers: { authorization: `Bearer ${token}` } })
      return { status, took: performance.now() - from }
    }
    const held = await hold('300')
    expect(held.status).toBe(204)
    expect(held.took).toBeGreaterThan(250)
    expect((await hold('0', 'wrong')).status).toBe(401)
    for (const wrong of ['', '-1', '10001', 'x']) expect((await hold(wrong)).status).toBe(400)
    const last = hold('10000')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.drain()
    expect((await last).took).toBeLessThan(5_000)
  })
})

describe('the clients of others', () => {
  it.each(['binary', 'structured'] as const)('the JavaScript SDK: %s', async (mode) => {
    const event = new CloudEvent({ source: '/sdk', type: 'dev.sdk', subject: 'Gerät 1', data: { n: 1 } })
    const { headers, body } = HTTP[mode](event)
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        name === 'ce-subject' ? encodeURI(String(value)) : String(value),
      ]),
    )
    const answer = await post(echo, given, body as string)
    const read = HTTP.toEvent({
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    }) as CloudEvent<unknown>
    expect(read.validate()).toBe(true)
    expect(read).toMatchObject({ id: `${event.id}/0`, type: 'dev.hivemind.patrol.y', data: { n: 1 } })
  })

  it('the Python SDK, in both modes', async () => {
    const client = fileURLToPath(new URL('../test/clients/structured.py', import.meta.url))
    // `npm test` installs the SDK there.
    const python = fileURLToPath(new URL('../../../.cache/python-cloudevents/bin/python3', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [client, echo])
    const from = { type: 'dev.hivemind.patrol.y', source: '/hivemind/patrol/work' }
    expect(JSON.parse(stdout)).toEqual([
      { ...from, data: { n: [1, 'ä'] } },
      { ...from, data: [255, 216] },
      { ...from, data: { n: 2 } },
    ])
  })
})

describe('outcomes', () => {
  const call = (
    url: string,
    inputs: unknown,
    more: Record<string, unknown> = {},
    attributes: Record<string, string> = {},
  ) =>
    post(
      url,
      {
        ...ce({
          'ce-hmrun': 'run-1',
          'ce-hmlane': 'device-2',
          'ce-hmdevices': 'device-1,device-2',
          'ce-hmseq': '4',
          ...attributes,
        }),
        'content-type': CALL_TYPE,
      },
      encodeCall({ inputs: inputs as never, ...more }),
    )

  it('are called in the place that the event names', async () => {
    const { url } = await serve({ do: 'context' })
    const answer = await call(url, {}, {}, { 'ce-hmmaxitems': '9' })
    expect(decodeValue({ type: 'application/cbor', bytes: await bytesOf(answer) })).toMatchObject({
      run: 'run-1',
      task: 'work',
      device: 'device-2',
      deviceIndex: 1,
      devices: ['device-1', 'device-2'],
      seq: 4,
      maxItems: 9,
    })
  })

  it('are told where in a trace they are: by the header, else by the event', async () => {
    const { url } = await serve({ do: 'context' })
    const [header, attribute] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`)
    const told = async (headers: Record<string, string>) => {
      const answer = await call(url, {}, {}, headers)
      const value = decodeValue({ type: 'application/cbor', bytes: await bytesOf(answer) })
      return (value as { traceparent?: string }).traceparent
    }
    expect(await told({ traceparent: header as string, 'ce-traceparent': attribute as string })).toBe(header)
    expect(await told({ 'ce-traceparent': attribute as string })).toBe(attribute)
    expect(await told({ traceparent: 'nonsense' })).toBeUndefined()
  })

  it('have no content without an item', async () => {
    const { url, logs } = await serve({ do: 'none' })
    const answer = await post(url, ce())
    expect([answer.status, await answer.text(), statsOf(answer).items]).toEqual([204, '', 0])
    expect(logs).toEqual(['nothing to say'])
  })

  it('bring state and logs to a run core', async () => {
    const { url } = await serve({ do: 'sum' }, { concurrency: 3 })
    let state: Uint8Array | undefined
    for (const [x, sum] of [
      [1, 1],
      [2, 3],
      [3, 6],
    ] as const) {
      const answer = await call(url, { x: { kind: 'one', value: encodeValue(x) } }, state ? { state } : {})
      expect(answer.headers.get('content-type')).toBe(OUTCOME_TYPE)
      const outcome = decodeOutcome(await bytesOf(answer))
      expect(outcome.item && decodeValue(outcome.item.value)).toBe(sum)
      expect(outcome.logs).toEqual([{ level: 'info', text: `sum ${sum}` }])
      state = outcome.state
    }
    // others get the plain item
    const plain = await post(url, { ...ce(), 'content-type': 'application/json' }, '5')
    expect(await plain.json()).toBe(5)
  })

  it('bring the part of each device', async () => {
    const { url } = await serve({ do: 'scatter' })
    const outcome = decodeOutcome(await bytesOf(await call(url, {}, { scatterTo: ['device-1', 'device-2'] })))
    const parts = Object.entries(outcome.item?.parts ?? {}).map(([device, part]) => [
      device,
      decodeValue(part),
    ])
    expect(parts).toEqual([
      ['device-1', 1],
      ['device-2', 2],
    ])
  })

  it('name what is wrong with a call', async () => {
    const answer = await call(echo, { x: { kind: 'two' } })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { message: expect.stringMatching(/the input 'x' must be \{kind: 'none'\}/) },
    ])
  })

  it('say why task code failed', async () => {
    const { url } = await serve({ do: 'throw' })
    const answer = await post(url, ce())
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({
      kind: 'exception',
      message: "Task 'work': TypeError: no such thing",
      detail: expect.stringContaining('work.mjs'),
    })
  })

  it('refuse a second item where there may be one', async () => {
    const { url } = await serve({ do: 'items', count: 2 })
    const answer = await post(url, ce())
    expect([answer.status, await answer.json()]).toEqual([
      500,
      {
        kind: 'value',
        message: expect.stringMatching(/^Task 'work' emitted a second item .* Data\('y', kind='stream'\)\.$/),
        detail: '',
      },
    ])
  })

  it('are not begun after their deadline', async () => {
    const answer = await call(echo, {}, {}, { 'ce-hmdeadline': String(Date.now() - 1) })
    expect(await answer.json()).toMatchObject({
      kind: 'cancelled',
      message: expect.stringContaining('deadline'),
    })
  })
})

describe('a stream', () => {
  it('reaches a run core item by item, held back by its socket', async () => {
    const { url } = await serve({ do: 'items', count: 5, bytes: 3_000_000 }, { emits: 'many' })
    const answer = await post(
      url,
      { ...ce({ 'ce-hmrun': 'r' }), 'content-type': CALL_TYPE },
      encodeCall({ inputs: {}, firstIndex: 3 }),
    )
    expect(answer.headers.get('content-type')).toBe(ITEMS_TYPE)
    const frames: FunctionFrame[] = []
    for await (const frame of readFunctionFrames(answer.body as unknown as AsyncIterable<Uint8Array>))
      frames.push(frame)
    const items = frames.flatMap((frame) => (frame.t === 'item' ? [frame] : []))
    expect(items.map(({ index }) => index)).toEqual([3, 4, 5, 6, 7])
    expect(items.map(({ item }) => decodeValue(item.value))).toMatchObject(
      [0, 1, 2, 3, 4].map((n) => ({ n })),
    )
    expect(frames.at(-1)).toMatchObject({ t: 'end', stats: { items: 5 } })
  })

  it('does not run ahead of whoever reads it', async () => {
    const { url, server } = await serve({ do: 'items', count: 200, bytes: 1_000_000 }, { emits: 'many' })
    const answer = await post(
      url,
      { ...ce({ 'ce-hmrun': 'r' }), 'content-type': CALL_TYPE },
      encodeCall({ inputs: {} }),
    )
    await new Promise((resolve) => setTimeout(resolve, 700))
    const health = (await (await fetch(`${url}healthz`)).json()) as { running: number }
    expect(health.running).toBe(1)
    await answer.body?.cancel()
    await server.drain()
  })

  it('is one batch for other clients', async () => {
    const { url } = await serve({ do: 'items', count: 2 }, { emits: 'many' })
    const answer = await post(url, { ...ce(), 'content-type': 'application/json' }, '1')
    expect(answer.headers.get('content-type')).toBe('application/cloudevents-batch+json; charset=utf-8')
    const events = HTTP.toEvent({
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    }) as CloudEvent<unknown>[]
    expect(events.map(({ id, data }) => [id, data])).toEqual([
      ['e-1/0', { n: 0, raw: { $bytes: 'AA==' } }],
      ['e-1/1', { n: 1, raw: { $bytes: 'AA==' } }],
    ])
  })
})

describe('a sink', () => {
  it('gets the items as CloudEvents, and fails the call when it refuses them', async () => {
    const received: CloudEvent<unknown>[] = []
    const sink = createServer((incoming, response) => {
      void (async () => {
        const chunks: Buffer[] = []
        for await (const chunk of incoming) chunks.push(chunk)
        received.push(
          HTTP.toEvent({
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString(),
          }) as CloudEvent<unknown>,
        )
        response.writeHead(received.length > 3 ? 507 : 202).end('full')
      })()
    })
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
    const to = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`
    try {
      const type = { 'content-type': 'application/json' }
      const named = await serve({ do: 'items', count: 3 }, { emits: 'many' })
      const answer = await post(named.url, { ...ce({ 'ce-hmsink': to }), ...type }, '1')
      expect([answer.status, statsOf(answer).items]).toEqual([204, 3])
      expect(received.map(({ id, type: of, data }) => [id, of, data])).toEqual(
        [0, 1, 2].map((n) => [`e-1/${n}`, 'dev.hivemind.patrol.y', { n, raw: { $bytes: 'AA==' } }]),
      )
      const fixed = await serve({ do: 'first' }, { sink: to })
      const refused = await post(fixed.url, { ...ce(), ...type }, '1')
      expect([refused.status, await refused.json()]).toEqual([
        500,
        { kind: 'cancelled', message: expect.stringContaining('answered 507: full'), detail: '' },
      ])
      // a run core gets its items itself
      expect((await post(fixed.url, { ...ce({ 'ce-hmrun': 'r' }), ...type }, '1')).status).toBe(200)
    } finally {
      sink.close()
    }
  })
})
