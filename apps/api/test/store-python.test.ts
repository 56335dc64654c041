/** The Python client of the store, against a service with a password: in the data folder and on Redis. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startRedis } from '../../../libs/store/test/redis-servers.ts'
import { configFor, newFolder, removeFolder, start } from './support/service.ts'

const CLIENT = path.join(import.meta.dirname, '../../../libs/store/python')
const PASSWORD = 'a password of the tests'

test.each(['data folder', 'Redis'] as const)(
  'the Python client uses a store in the %s',
  {
    timeout: 120_000,
  },
  async (kind) => {
    const dataDir = newFolder()
    const redis = kind === 'Redis' ? await startRedis() : null
    const { service, client } = await start(
      configFor(dataDir, { password: PASSWORD, ...(redis && { redis: { url: redis.url } }) }),
    )
    const authorization = `Basic ${Buffer.from(`hivemind:${PASSWORD}`).toString('base64')}`
    const keyFor = async (name: string, grants: { prefix: string; access: string }[]): Promise<string> => {
      const made = await client.ok('createAccessKey', { body: { name, grants }, headers: { authorization } })
      return made.secret
    }
    try {
      const env = {
        ...process.env,
        SERVICE: service.url,
        PASSWORD,
        KEY: await keyFor('python', [
          { prefix: '/python/keys', access: 'read' },
          { prefix: '/python/keys/mine', access: 'read-write' },
        ]),
        GONE: await keyFor('gone', [{ prefix: '/python/keys', access: 'read' }]),
        PYTHONDONTWRITEBYTECODE: '1',
      }
      const python = spawn('python3', ['-m', 'unittest', '-v'], { cwd: CLIENT, env })
      const [said, [code]] = await Promise.all([text(python.stderr), once(python, 'exit')])
      expect(code, said).toBe(0)
      expect(said).toMatch(/^Ran [1-9]\d* tests/m)
    } finally {
      await service.close()
      await redis?.stop()
      removeFolder(dataDir)
    }
  },
)
