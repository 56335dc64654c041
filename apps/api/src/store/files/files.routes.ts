/** The store for tools that read files: WebDAV of class 1 (RFC 4918), and plain pages for a browser. Nothing can be written. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { demand, reaches } from '../../auth/access.ts'
import { callerOf } from '../../auth/principal.ts'
import { answerFailure } from '../../common/problem.filter.ts'
import { notFound, Problem } from '../../common/problem.ts'
import type { StoreService } from '../store.service.ts'
import { type Entry, FileTree, pathOf, type Reads } from './file-tree.ts'
import { folderPage } from './folder-page.ts'
import { multistatus } from './multistatus.ts'
import { readableBy } from './readable.ts'

/** Where the tree begins. */
const ROOT = '/api/store/files'
const ALLOW = 'OPTIONS, GET, HEAD, PROPFIND'
/** Pages of folders have links and a style, and nothing else. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const WRITING = ['PUT', 'POST', 'PATCH', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'PROPPATCH', 'LOCK', 'UNLOCK']

/** A plugin that answers for the files of a store. */
export function storeFiles(reads: Reads, store: StoreService, bodyLimit: number) {
  /** The tree as the caller may see it. Throws 403 when that is nothing of what the path names. */
  const treeFor = (request: FastifyRequest, names: readonly string[]): FileTree => {
    const caller = callerOf(request)
    const path = pathOf(names)
    if (path !== '' && !reaches(caller, path)) demand(caller, 'read', path, 'path')
    return new FileTree(readableBy(reads, caller))
  }

  const find = async (tree: FileTree, names: readonly string[]): Promise<Entry> => {
    const entry = await tree.find(names)
    if (!entry) throw notFound('file or folder', `/${names.join('/')}`)
    return entry
  }

  const inside = async (tree: FileTree, names: readonly string[]) =>
    ((await tree.list(names)) ?? []).map((entry) => ({ href: hrefOf([...names, entry.name], entry), entry }))

  const describe = async (request: FastifyRequest, reply: FastifyReply) => {
    const names = namesOf(request)
    const { depth } = request.headers
    if (depth !== '0' && depth !== '1')
      throw new Problem(403, 'Ask for one folder at a time: send the header Depth with 0 or 1.')
    const tree = treeFor(request, names)
    const entry = await find(tree, names)
    const children = entry.object || depth === '0' ? [] : await inside(tree, names)
    const answer = multistatus([{ href: hrefOf(names, entry), entry }, ...children])
    return reply.status(207).type('application/xml; charset=utf-8').send(answer)
  }

  const get = async (request: FastifyRequest, reply: FastifyReply) => {
    const names = namesOf(request)
    const tree = treeFor(request, names)
    const entry = await find(tree, names)
    headersOf(entry, reply)
    if (request.method === 'HEAD') return reply.send()
    if (!entry.object)
      return reply.send(folderPage(names, folderHref(names.slice(0, -1)), await inside(tree, names)))
    const { chunks } = await store.read(entry.object.key, { version: entry.object.version })
    return reply.send(Readable.from(chunks, { objectMode: false }))
  }

  const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('Allow', ALLOW)
    throw new Problem(
      405,
      'These files can only be read. `hivemind store put` and PUT /api/store/object write to the store.',
    )
  }

  return async (fastify: FastifyInstance): Promise<void> => {
    fastify.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, bodyLimit))
    // Which properties a client asks for makes no difference: it gets all there are.
    fastify.addContentTypeParser(
      ['application/xml', 'text/xml'],
      { parseAs: 'string' },
      (_request, _body, done) => done(null),
    )
    for (const method of ['PROPFIND', ...WRITING])
      if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
    const config = { opensToAccessKeys: true } as const
    for (const url of [ROOT, `${ROOT}/*`]) {
      fastify.options(url, { config }, (_request, reply) =>
        reply.header('DAV', '1').header('Allow', ALLOW).send(),
      )
      fastify.route({ method: 'PROPFIND', url, config, handler: describe })
      fastify.route({ method: ['GET', 'HEAD'], url, config, handler: get })
      // before a body is read
      fastify.route({ method: WRITING, url, config, onRequest: refuse, handler: () => {} })
    }
  }
}

/** The names in the path of a request. Throws 400. */
function namesOf({ url }: FastifyRequest): string[] {
  const [path = ''] = url.split('?', 1)
  try {
    return path.slice(ROOT.length).split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    throw new Problem(400, 'The address could not be read.')
  }
}

const fileHref = (names: readonly string[]): string => [ROOT, ...names.map(encodeURIComponent)].join('/')
const folderHref = (names: readonly string[]): string => `${fileHref(names)}/`
const hrefOf = (names: readonly string[], { object }: Entry): string =>
  object ? fileHref(names) : folderHref(names)

function headersOf({ object }: Entry, reply: FastifyReply): void {
  if (!object) {
    reply.header('Content-Security-Policy', PAGE_POLICY).type('text/html; charset=utf-8')
    return
  }
  reply
    // What somebody has put is never a page of this site.
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .header('ETag', `"${object.version}"`)
    .header('Last-Modified', new Date(object.timestamp / 1000).toUTCString())
    .header('Content-Length', object.size)
    .type(object.type || 'application/octet-stream')
}
