import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { MemoryDataPort } from '@hivemind/values'
import { FolderDataPort } from '@hivemind/values/node'
import { afterAll, expect, test } from 'vitest'
import { rawValue, runValues } from './run-values.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-values-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const output = (ref: { pool: string; key: string; version: number }) => ({
  task: 't',
  data: 'd',
  device: '*',
  seq: 0,
  value: { $bytes: 'AAAA', $truncated: true },
  ref,
})

test('the whole value of an output is read where the run has kept it', async () => {
  const port = new FolderDataPort(dir)
  const { pool, key, version } = await port.put('run-1', 't/0', {
    type: 'image/png',
    bytes: Buffer.from('whole'),
  })
  const values = runValues([new MemoryDataPort(), port])
  const value = await rawValue(values, 'run-1', 0, output({ pool, key, version }))
  expect(value.type).toBe('image/png')
  expect(Buffer.from(value.bytes).toString()).toBe('whole')
})

test('a value that is not kept any more, or is that of another run, is not there', async () => {
  const port = new FolderDataPort(dir)
  const { pool, key, version } = await port.put('run-2', 't/0', {
    type: 'text/plain',
    bytes: Buffer.from('other'),
  })
  const values = runValues([new MemoryDataPort(), port])
  await expect(rawValue(values, 'run-1', 0, output({ pool, key, version }))).rejects.toMatchObject({
    status: 404,
  })
  await port.drop('run-2')
  await expect(rawValue(values, 'run-2', 0, output({ pool, key, version }))).rejects.toMatchObject({
    status: 404,
  })
})

test('a value is read in the port that has it, and dropped in all of them', async () => {
  const ports = [new MemoryDataPort(), new FolderDataPort(dir)] as const
  const values = runValues(ports)
  for (const [n, port] of ports.entries()) {
    const ref = await port.put(`run-${n}`, 'k', { type: 'text/plain', bytes: Buffer.from(String(n)) })
    const value = await values.open(`run-${n}`, ref)
    expect(String(value?.bytes)).toBe(String(n))
    await values.drop(`run-${n}`)
    expect(await values.open(`run-${n}`, ref)).toBeNull()
  }
})

test('a value that came with a message, and is kept under Persist, is found by its task, device and number', async () => {
  const port = new MemoryDataPort()
  const ref = await port.put('run-3', 'see/device-1/4', { type: 'image/png', bytes: Buffer.from('whole') })
  const values = runValues([port], async (pool, key) =>
    pool === 'run-3' && key === 'see/device-1/4' ? ref : null,
  )
  const cut = {
    task: 'see',
    data: 'd',
    device: 'device-1',
    seq: 4,
    value: { $bytes: 'AAAA', $truncated: true },
    persisted: true,
  }
  expect(Buffer.from((await rawValue(values, 'run-3', 0, cut)).bytes).toString()).toBe('whole')
  const { persisted: _, ...passing } = cut
  await expect(rawValue(values, 'run-3', 0, passing)).rejects.toThrow('under Persist')
})
