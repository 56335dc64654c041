/** What a service that stands by answers. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Config } from '../config/config.ts'

const PROBLEM = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'This service stands by: another one is active. Ask that one, or this one when it has taken over.',
}

function answer(path: string, response: ServerResponse): void {
  if (path === '/api/alive') {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify({ role: 'stand-by' }))
    return
  }
  response.writeHead(503, { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '1' })
  response.end(JSON.stringify(PROBLEM))
}

/** Answers on the port of the service: that it is alive, and to all else that another one is active. */
export class StandByServer {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /** Begins to answer. On the machine of the active service the port is that one's: then nothing is answered here. */
  static async start({ port, host }: Pick<Config, 'port' | 'host'>): Promise<StandByServer> {
    const server = createServer((request, response) => {
      request.resume()
      // Not parsed as a URL: what anybody sends must not end the process.
      answer((request.url ?? '/').split('?', 1)[0] as string, response)
    })
    await new Promise<void>((resolve) => {
      server.once('error', () => resolve())
      server.listen(port, host, resolve)
    })
    return new StandByServer(server)
  }

  /** Frees the port. */
  async close(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise((resolve) => {
      this.#server.close(resolve)
      this.#server.closeAllConnections()
    })
  }
}
