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

const problemIn = async (reply: Response) => (await reply.json()) as { detail: string }

/** Runs commands of cadaver. */
async function cadaver(
  home: string,
  url: string,
  commands: string[],
  password: string = PASSWORD,
): Promise<string> {
  writeFileSync(
    path.join(home, '.netrc'),
    `machine ${new URL(url).hostname} login hivemind password "${password}"\n`,
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
      configFor(dataDir, { password: PASSWORD, ...(redis && { redis: { url: redis.url } }) }),
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
      expect([depth.status, (await problemIn(depth)).detail]).toEqual([403, expect.stringContaining('Depth')])
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

test.each(['data folder', 'Redis'] as const)(
  'a WebDAV client with an access key reads its part of a store in the %s',
  { timeout: 60_000 },
  async (kind) => {
    const dataDir = newFolder()
    const home = newFolder()
    const redis = kind === 'Redis' ? await startRedis() : null
    const { service, client } = await start(
      configFor(dataDir, { password: PASSWORD, ...(redis && { redis: { url: redis.url } }) }),
    ).catch(async (error: unknown) => {
      await redis?.stop()
      throw error
    })
    try {
      const { store } = service
      const put = (key: string, text: string) =>
        store.put(key, { type: 'text/plain', bytes: Buffer.from(text) })
      for (const pool of ['/factory/images', '/factory/plans', '/other']) {
        await store.createPool(pool, { retention: { versions: 5 } })
        for (const name of ['a', 'cam/1', 'cam/1', 'cam2/1']) await put(`${pool}/${name}`, `${pool} ${name}`)
      }
      const grants = [
        { prefix: '/factory/images/cam', access: 'read' },
        { prefix: '/factory/images/cam/1', access: 'read-write' },
        { prefix: '/other/a', access: 'read' },
      ]
      const headers = { authorization: LOGIN }
      const { secret } = await client.ok('createAccessKey', { body: { name: 'viewer', grants }, headers })
      const files = `${service.url}api/store/files/`
      const authorization = `Basic ${Buffer.from(`viewer:${secret}`).toString('base64')}`
      const ask = (where: string) => fetch(files + where, { headers: { authorization } })
      const textOf = async (where: string) => (await ask(where)).text()

      const listed = await cadaver(
        home,
        files,
        [
          'cd latest',
          'ls',
          'cd factory',
          'ls',
          'cd images',
          'ls',
          'cd cam',
          'get 1 one.txt',
          'cd ../../plans',
        ],
        secret,
      )
      const named = [...listed.matchAll(/(?:Coll: +|^ +)([\w.]+) +\d/gm)].map(([, name]) => name)
      expect(named).toEqual(['factory', 'other', 'images', 'cam'])
      expect(readFileSync(path.join(home, 'one.txt'), 'utf8')).toBe('/factory/images cam/1')
      expect(listed).toMatch(/403 Forbidden/)

      expect(await textOf('latest/other/a')).toBe('/other a')
      for (const root of ['latest', 'at/2020-01-01', 'versions']) {
        const page = await ask(`${root}/factory/plans/a`)
        expect(page.status).toBe(403)
        expect((await problemIn(page)).detail).toContain(
          "Access key 'viewer' may not read '/factory/plans/a'",
        )
      }
      for (const hidden of [
        'latest/factory/images/a',
        'latest/factory/images/cam2/1',
        'versions/other/cam/1/v2',
      ])
        expect([hidden, (await ask(hidden)).status]).toEqual([hidden, 403])
      expect(await textOf('versions/factory/images/cam/1/v2')).toBe('/factory/images cam/1')
      const folder = await textOf('versions/factory/images')
      expect([folder.includes('cam/'), folder.includes('cam2'), folder.includes('>a')]).toEqual([
        true,
        false,
        false,
      ])
      expect((await ask('latest/factory/images/cam/none')).status).toBe(404)
      const writing = await fetch(`${files}latest/factory/images/cam/1`, {
        method: 'PUT',
        headers: { authorization },
      })
      expect(writing.status).toBe(405)
    } finally {
      await service.close()
      await redis?.stop()
      removeFolder(dataDir)
      removeFolder(home)
    }
  },
)
