import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileNative, NativeServer, NfuServer } from '../src/node/index.ts'

const run = promisify(execFile)
const root = path.join(import.meta.dirname, '../../..')
const python = path.join(root, '.cache/python-aiocoap/bin/python')
const scratch = mkdtempSync(path.join(tmpdir(), 'hivemind-nfu-'))
const servers: Record<string, { url: string; close: () => unknown }> = {}

beforeAll(async () => {
  const program = await compileNative(path.join(root, '.cache/nfu'))
  const code = 'nfu:average?window=3'
  const node = await NfuServer.start({ code, port: 0 })
  const native = await NativeServer.start(program, { code, port: 0 })
  servers['Node.js'] = { url: `coap://127.0.0.1:${node.address.port}`, close: () => node.close() }
  servers.C = { url: `coap://127.0.0.1:${native.address.port}`, close: () => native.close() }
})

afterAll(async () => {
  for (const { close } of Object.values(servers)) await close()
  rmSync(scratch, { recursive: true })
})

describe.each(['Node.js', 'C'])('clients of others talk to the server on %s', (kind) => {
  const url = (): string => servers[kind]?.url ?? ''

  it('aiocoap', async () => {
    const { stdout } = await run(python, [path.join(import.meta.dirname, 'client.py'), url()])
    expect(JSON.parse(stdout)).toEqual({
      answers: ['2.04', '2.04', '2.04'],
      latest: 2.5,
      changed: '2.04',
      code: 'nfu:max?window=1',
      wrong: '4',
      gone: '4.05',
    })
  })

  it("libcoap's coap-client", async () => {
    // it ends with 0 whatever was answered: what it said of an error stands in place of the payload
    const ask = async (...words: string[]): Promise<string> => {
      const { stdout, stderr } = await run('coap-client-notls', words, { encoding: 'latin1' })
      return stderr || Buffer.from(stdout, 'latin1').toString('hex').slice(0, 18)
    }
    const file = path.join(scratch, 'reading.cbor')
    writeFileSync(file, Buffer.from('fb4045000000000000', 'hex'))
    expect(await ask('-m', 'post', '-t', '60', '-f', file, `${url()}/t`)).toBe('')
    expect(await ask('-m', 'get', `${url()}/latest`)).toBe('fb4045000000000000')
    // not confirmable, as sensors send
    writeFileSync(file, Buffer.from('1863', 'hex'))
    await ask('-N', '-B', '1', '-m', 'put', '-t', '60', '-f', file, `${url()}/t`)
    expect(await ask('-m', 'get', `${url()}/latest`)).toBe('fb4058c00000000000')
  })
})
