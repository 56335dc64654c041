/** What the bench uses of @grpc/grpc-js, which is installed when it is measured; messages are bytes as they are. */
import { createRequire } from 'node:module'

type Answer = (error: Error | null, value?: Buffer) => void

interface EchoClient {
  call(request: Buffer, answer: Answer): void
  close(): void
}

interface Grpc {
  Server: new () => {
    addService(definition: object, of: { call(call: { request: Buffer }, answer: Answer): void }): void
    bindAsync(address: string, credentials: unknown, bound: (error: Error | null) => void): void
  }
  ServerCredentials: { createInsecure(): unknown }
  credentials: { createInsecure(): unknown }
  makeGenericClientConstructor(
    definition: object,
    name: string,
  ): new (
    address: string,
    credentials: unknown,
  ) => EchoClient
}

const asItIs = (bytes: Buffer): Buffer => bytes
const DEFINITION = {
  call: {
    ...{ path: '/Echo/call', requestStream: false, responseStream: false },
    ...{ requestSerialize: asItIs, requestDeserialize: asItIs },
    ...{ responseSerialize: asItIs, responseDeserialize: asItIs },
  },
}

const load = (folder: string): Grpc => createRequire(import.meta.url)(folder) as Grpc

/** Answers calls at a Unix socket with what they bring. Resolves when it listens. */
export function serveEcho(folder: string, file: string): Promise<void> {
  const { Server, ServerCredentials } = load(folder)
  const server = new Server()
  server.addService(DEFINITION, { call: ({ request }, answer) => answer(null, request) })
  return new Promise((resolve, reject) =>
    server.bindAsync(`unix:${file}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  )
}

/** A client of such a server. */
export function echoClient(folder: string, file: string): EchoClient {
  const { makeGenericClientConstructor, credentials } = load(folder)
  const Client = makeGenericClientConstructor(DEFINITION, 'Echo')
  return new Client(`unix:${file}`, credentials.createInsecure())
}
