/** Co-placed tasks: what one emits is handed to the next by the host, and a run core hears of each. */
import type { FunctionConfig, FunctionFrame } from '@hivemind/task-runner'
import { ITEMS_TYPE, nextToAttribute, readFunctionFrames } from '@hivemind/task-runner'
import { decodeValue, encodeValue } from '@hivemind/values'
import { afterEach, describe, expect, it } from 'vitest'
import { ce, closeAll, configOf, serve, start, until } from '../test/host.ts'
import { readConfig } from './index.ts'

afterEach(closeAll)

type Behind = Partial<NonNullable<FunctionConfig['coPlaced']>[number]>

/** A task behind another, which does `what`. */
const behind = (task: string, after: string | string[], what: Record<string, unknown>, more: Behind = {}) => {
  const all = [after].flat()
  const { host: _, port: __, workflow: ___, concurrency: ____, ...own } = configOf(what)
  return {
    ...own,
    task,
    after: all,
    dataIn: all.map((name) => (name === 'work' ? 'y' : `${name}Out`)),
    dataOut: `${task}Out`,
    ...more,
  }
}

const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

/** Calls the host as a run core does; resolves to the frames of each task, `''` for the one that is called. */
async function framesOf(url: string, x: unknown, next: string[], more: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...ce({ 'ce-hmrun': 'r-1', 'ce-hmlane': 'device-1', 'ce-hmseq': '7', ...more }),
      ...(next.length > 0 && {
        'ce-hmthen': nextToAttribute(next.map((task) => ({ task, traceparent: TRACE }))),
      }),
      'content-type': 'application/cbor',
    },
    body: encodeValue(x).bytes as Uint8Array<ArrayBuffer>,
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, ITEMS_TYPE])
  const frames = new Map<string, FunctionFrame[]>()
  for await (const frame of readFunctionFrames(answer.body as unknown as AsyncIterable<Uint8Array>)) {
    const { task = '' } = frame
    frames.set(task, [...(frames.get(task) ?? []), frame])
  }
  return frames
}

const kinds = (frames: FunctionFrame[] | undefined) => frames?.map(({ t }) => t)
const itemOf = (frames: FunctionFrame[] | undefined) => {
  const item = frames?.find((frame) => frame.t === 'item')
  return item?.t === 'item' ? decodeValue(item.item.value) : undefined
}

describe('a host of several tasks', () => {
  it('hands what a task emits to those behind it, and answers with the steps of all', async () => {
    const { url } = await serve(
      { do: 'first' },
      {
        coPlaced: [
          behind('b', 'work', { do: 'echo' }),
          behind('c', 'b', { do: 'context' }),
          behind('d', 'work', { do: 'first' }),
        ],
      },
    )
    const frames = await framesOf(url, { n: 1 }, ['b', 'c', 'd'])
    expect(itemOf(frames.get(''))).toEqual({ n: 1 })
    expect(itemOf(frames.get('b'))).toEqual({ y: { n: 1 } })
    expect(itemOf(frames.get('c'))).toMatchObject({
      ...{ run: 'r-1', task: 'c', device: 'device-1', deviceIndex: 0, devices: ['device-1'], seq: 7 },
      traceparent: TRACE,
    })
    expect(itemOf(frames.get('d'))).toEqual({ n: 1 })
    for (const own of frames.values()) expect(kinds(own)).toEqual(['item', 'end'])
    const end = frames.get('b')?.at(-1)
    expect(end?.t === 'end' && end.stats).toMatchObject({ items: 1, worker: 'b-1' })
    expect(end?.t === 'end' && end.stats.bytesIn).toBe(encodeValue({ n: 1 }).bytes.length)
  })

  it('goes on with no task that it is not asked for, does not know, or that has nothing to begin with', async () => {
    const { url } = await serve(
      { do: 'first' },
      { coPlaced: [behind('none', 'work', { do: 'none' }), behind('after', 'none', { do: 'first' })] },
    )
    expect([...(await framesOf(url, 1, ['elsewhere'])).keys()]).toEqual([''])
    const frames = await framesOf(url, 1, ['none', 'after'])
    expect([...frames.keys()]).toEqual(['', 'none'])
    expect(kinds(frames.get('none'))).toEqual(['log', 'end'])
  })

  it('hands a task the items of several, once it has all of them', async () => {
    const { url } = await serve(
      { do: 'first' },
      {
        coPlaced: [
          behind('slow', 'work', { do: 'slow', ms: 50 }),
          behind('quick', 'work', { do: 'first' }),
          behind('both', ['quick', 'slow'], { do: 'echo' }),
          behind('none', 'work', { do: 'none' }),
          behind('never', ['quick', 'none'], { do: 'echo' }),
        ],
      },
    )
    const frames = await framesOf(url, 5, ['slow', 'quick', 'both', 'none', 'never'])
    expect(itemOf(frames.get('both'))).toMatchObject({ quickOut: 5, slowOut: { calls: 1 } })
    expect(kinds(frames.get('both'))).toEqual(['item', 'end'])
    expect(frames.has('never')).toBe(false)
  })

  it('tells what failed of which task, and goes on with the others', async () => {
    const { url } = await serve(
      { do: 'first' },
      {
        coPlaced: [
          behind('bad', 'work', { do: 'throw' }),
          behind('after', 'bad', { do: 'first' }),
          behind('good', 'work', { do: 'first' }),
        ],
      },
    )
    const frames = await framesOf(url, 1, ['bad', 'after', 'good'])
    expect([...frames.keys()].toSorted()).toEqual(['', 'bad', 'good'])
    const failed = frames.get('bad')?.at(-1)
    expect(failed?.t === 'failed' && failed.problem).toMatchObject({
      kind: 'exception',
      message: expect.stringContaining('no such thing'),
    })
    expect(itemOf(frames.get('good'))).toBe(1)
  })

  it('does not wait for who reads an item before it hands it on', async () => {
    const { url } = await serve(
      { do: 'items', count: 1, bytes: 30_000_000 },
      { coPlaced: [behind('b', 'work', { do: 'context' })], emits: 'one' },
    )
    const frames = await framesOf(url, 1, ['b'])
    expect(itemOf(frames.get('b'))).toMatchObject({ task: 'b' })
  })

  it('takes calls of each task, and refuses those of others', async () => {
    const { url } = await serve({ do: 'echo' }, { coPlaced: [behind('b', 'work', { do: 'echo' })] })
    const call = (task: string) =>
      fetch(url, {
        method: 'POST',
        headers: { ...ce({ 'ce-hmtask': task }), 'content-type': 'application/json' },
        body: '3',
      })
    expect(await (await call('work')).json()).toEqual({ x: 3 })
    expect(await (await call('b')).json()).toEqual({ y: 3 })
    const refused = await call('c')
    expect([refused.status, await refused.json()]).toEqual([
      404,
      { message: "There is no task 'c' here; this function serves 'work', 'b'." },
    ])
  })

  it('ends what follows when its caller has gone', async () => {
    const { url, server } = await serve(
      { do: 'first' },
      { coPlaced: [behind('b', 'work', { do: 'slow', ms: 60_000 })] },
    )
    const controller = new AbortController()
    const answer = await fetch(url, {
      method: 'POST',
      signal: controller.signal,
      headers: { ...ce({ 'ce-hmrun': 'r-1', 'ce-hmthen': 'b=' }), 'content-type': 'application/json' },
      body: '1',
    })
    const reader = answer.body?.getReader()
    await reader?.read()
    controller.abort()
    const from = performance.now()
    await server.drain()
    expect(performance.now() - from).toBeLessThan(30_000)
  })
})

it('says in its log whose line it is', async () => {
  const { url, output } = await start(
    { do: 'first' },
    { coPlaced: [behind('quiet', 'work', { do: 'none' })] },
  )
  await framesOf(url, 1, ['quiet'])
  await until(() => output().includes('nothing to say'))
  const lines = output().trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ task: 'quiet', text: 'quiet: nothing to say' })
})

it('names what is wrong with a task behind another', () => {
  const config = (coPlaced: unknown) => JSON.stringify({ ...configOf({ do: 'first' }), coPlaced })
  const wrong = (coPlaced: unknown) => () => readConfig(config(coPlaced), {})
  const good = behind('b', 'work', { do: 'first' })
  expect(wrong([good])).not.toThrow()
  expect(wrong([{ ...good, after: ['nobody'] }])).toThrow(/coPlaced\[0\]\.after\.$/)
  expect(wrong([good, { ...good }])).toThrow(/coPlaced\[1\]\.task\.$/)
  expect(wrong([{ ...good, dataIn: [], code: '' }])).toThrow(/coPlaced\[0\]\.code, coPlaced\[0\]\.dataIn\.$/)
  expect(wrong('b')).toThrow(/: coPlaced\.$/)
  expect(() =>
    readConfig(JSON.stringify({ ...configOf({ do: 'items' }), emits: 'many', coPlaced: [good] }), {}),
  ).toThrow(/coPlaced\[0\]\.after\.$/)
})
