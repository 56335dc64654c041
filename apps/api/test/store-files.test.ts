/** The store as files: by hand, and with a WebDAV client (cadaver), in the data folder and on Redis. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startRedis } from '../../../libs/store/test/redis-servers.ts'
import { configFor, newFolder, removeFolder, start } from './support/service.ts'

const PASSWORD = 'a password of the tests'
const LOGIN = `Basic ${Buffer.from(`hivemind:${PASSWORD}`).toString('base64')}`
const PHOTO = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 31) % 251))

/** Runs commands of cadaver. */
async function cadaver(home: string, url: string, commands: string[]): Promise<string> {
  writeFileSync(
    path.join(home, '.netrc'),
    `machine ${new URL(url).hostname} login hivemind password "${PASSWORD}"\n`,
    { mode: 0o600 },
  )
  const child = spawn('cadaver', [url], { cwd: home, env: { ...process.env, HOME: home } })
  child.stdin.end(`${commands.join('\n')}\nquit\n`)
  const [said, complained] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit').then(() => ''),
  ])
  return said + complained
}

test.each(['data folder', 'Redis'] as const)(
  'a WebDAV client reads what is in a store in the %s',
  { timeout: 60_000 },
  async (kind) => {
    const dataDir = newFolder()
    const home = newFolder()
    const redis = kind === 'Redis' ? await startRedis() : null
    const { service } = await start(
      configFor(dataDir, { password: PASSWORD, ...(redis && { storeUrl: redis.url }) }),
    ).catch(async (error: unknown) => {
      await redis?.stop()
      throw error
    })
    const files = `${service.url}api/store/files/`
    const ask = (where: string, init: RequestInit = {}) =>
      fetch(files + where, { ...init, headers: { authorization: LOGIN, ...init.headers } })
    try {
      const { store } = service
      await store.createPool('/factory/images', { retention: { versions: 5 } })
      const put = (bytes: Uint8Array) =>
        store.put('/factory/images/50 % & <photo>.jpg', { type: 'image/jpeg', bytes })
      await put(Buffer.from('old'))
      await put(PHOTO)
      const name = encodeURIComponent('50 % & <photo>.jpg')

      const listed = await cadaver(home, `${files}latest/factory/`, [
        'ls',
        'cd images',
        'ls',
        'get "50 % & <photo>.jpg" photo.jpg',
        'put .netrc',
      ])
      expect(listed).toContain('Coll:   images')
      expect(listed).toMatch(/50 % & <photo>\.jpg +300000/)
      expect(listed).toMatch(/Uploading .* failed:\s.*405 Method Not Allowed/)

      expect(readFileSync(path.join(home, 'photo.jpg'))).toEqual(PHOTO)

      expect((await ask('')).status).toBe(200)
      const page = await (await ask('latest/factory/images')).text()
      expect(page).toContain(`href="/api/store/files/latest/factory/images/${name}"`)
      expect(page).toContain('50 % &amp; &lt;photo&gt;.jpg')
      const photo = await ask(`latest/factory/images/${name}`)
      expect(Buffer.from(await photo.arrayBuffer())).toEqual(PHOTO)
      expect(photo.headers.get('content-security-policy')).toContain('sandbox')
      expect(await (await ask(`versions/factory/images/${name}/v1.jpg`)).text()).toBe('old')
      const head = await ask(`latest/factory/images/${name}`, { method: 'HEAD' })
      expect([head.headers.get('etag'), head.headers.get('content-length')]).toEqual(['"2"', '300000'])

      const depth = await ask('latest', { method: 'PROPFIND', headers: { depth: 'infinity' } })
      expect([depth.status, await depth.text()]).toEqual([403, expect.stringContaining('Depth')])
      const body = '<?xml version="1.0"?><propfind xmlns="DAV:"><allprop/></propfind>'
      const headers = { depth: '1', 'content-type': 'application/xml' }
      const found = await ask('latest/factory/images', { method: 'PROPFIND', headers, body })
      expect(found.status).toBe(207)
      expect((await found.text()).match(/<D:response>/g)).toHaveLength(2)
      for (const method of ['PUT', 'DELETE', 'MKCOL', 'LOCK'])
        expect((await ask('latest/x', { method })).status).toBe(405)
      expect((await ask('latest/nothing')).status).toBe(404)
      expect((await fetch(files)).status).toBe(401)
      // only here are bodies of XML read
      const elsewhere = await fetch(`${service.url}api/projects`, {
        method: 'POST',
        body,
        headers: { authorization: LOGIN, 'content-type': 'application/xml' },
      })
      expect(elsewhere.status).toBe(415)
    } finally {
      await service.close()
      await redis?.stop()
      removeFolder(dataDir)
      removeFolder(home)
    }
  },
)
