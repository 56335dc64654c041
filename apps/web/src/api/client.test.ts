import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, createApi } from './client.ts'
import { retryDelay } from './events.ts'
import { asProblem, isAbort, problemOf } from './problem.ts'

describe('problems', () => {
  test('problem details keep title, detail and the fields at fault', () => {
    const problem = problemOf(422, 'Unprocessable', {
      title: 'Not valid',
      detail: 'The seed is no number.',
      errors: [{ field: 'seed', message: 'expected a number' }],
    })
    expect(problem).toMatchObject({ status: 422, title: 'Not valid', message: 'The seed is no number.' })
    expect(problem.fields).toEqual([{ field: 'seed', message: 'expected a number' }])
    expect(problem.unreachable).toBe(false)
  })
  test('a JSON body that came as text is understood', () => {
    expect(problemOf(404, 'Not Found', '{"title":"No such run","detail":"There is no run x."}').detail).toBe(
      'There is no run x.',
    )
  })
  test("a proxy's page is not shown", () => {
    const problem = problemOf(502, 'Bad Gateway', '<html>nginx</html>')
    expect(problem.unreachable).toBe(true)
    expect(problem.message).not.toContain('nginx')
  })
  test('anything thrown becomes a problem', () => {
    expect(asProblem(new TypeError('fetch failed')).unreachable).toBe(true)
    expect(asProblem('no').message).toBe('no')
    expect(isAbort(new DOMException('x', 'AbortError'))).toBe(true)
  })
})

test('the delay before another try doubles, varies and has a limit', () => {
  expect(retryDelay(1, 0)).toBe(250)
  expect(retryDelay(1, 1)).toBe(500)
  expect(retryDelay(3, 1)).toBe(2000)
  expect(retryDelay(30, 1)).toBe(15_000)
})

describe('the client over a real connection', () => {
  const seen: { method: string | undefined; url: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method, url: request.url, body })
    if (request.url?.includes('missing')) {
      response.writeHead(404, { 'content-type': 'application/problem+json' })
      response.end(
        JSON.stringify({ type: 'about:blank', title: 'Not found', status: 404, detail: 'No such one.' }),
      )
    } else if (request.method === 'DELETE') response.writeHead(204).end()
    else if (request.url?.includes('/file')) response.end('print(1)')
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  let client: Api
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    client = createApi(`http://127.0.0.1:${port}/api`)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('paths, queries and bodies go where the contract says', async () => {
    expect(await client.listProjects()).toEqual([])
    expect(await client.findFile('p', 'tasks/a b.py')).toEqual({ text: 'print(1)', hash: '' })
    await client.startExploration('p', { version: 3, fleet: 'paper-drones', seed: 1 })
    expect(seen.slice(-3)).toEqual([
      { method: 'GET', url: '/api/projects', body: '' },
      { method: 'GET', url: '/api/projects/p/file?path=tasks%2Fa%20b.py', body: '' },
      {
        method: 'POST',
        url: '/api/projects/p/explorations',
        body: '{"version":3,"fleet":"paper-drones","seed":1}',
      },
    ])
  })
  test('an answer without a body is undefined, a failure an ApiProblem', async () => {
    expect(await client.deleteProject('p')).toBeUndefined()
    await expect(client.getRun('missing')).rejects.toMatchObject({
      name: 'ApiProblem',
      status: 404,
      detail: 'No such one.',
    })
  })
  test('no answer at all is an unreachable service', async () => {
    const nobody = createApi('http://127.0.0.1:9/api')
    await expect(nobody.health()).rejects.toMatchObject({ status: 0 })
  })
  test('a request given up throws the abort', async () => {
    const controller = new AbortController()
    controller.abort()
    const error: unknown = await client.listProjects({}, controller.signal).catch((thrown: unknown) => thrown)
    expect(isAbort(error)).toBe(true)
  })
})
