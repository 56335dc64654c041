/** TLS between clients and nodes: certificates, and what is said when they do not match. */
import net from 'node:net'
import tls from 'node:tls'
import { ExchangeError } from './errors.ts'

/** Certificates of a client or node, as PEM texts. */
export interface TlsOptions {
  /** Certificates of the authorities that vouch for the other side. */
  ca: string
  /** Certificate of this side, with those between it and the authority. Needed where it is asked for, and by nodes. */
  cert?: string
  /** Private key of `cert`. */
  key?: string
}

/** Certificates of a node. It shows them to its clients, and to the nodes that it connects to. */
export interface NodeTlsOptions extends Required<TlsOptions> {
  /** Serves only clients and nodes with a certificate that `ca` vouches for; everyone when absent or false. */
  verifyClients?: boolean
}

/** First byte of a TLS connection. That of a frame is 0: no header is so long. */
const TLS_HANDSHAKE = 0x16

const PLAIN_CLIENT =
  'This node is reached with TLS only: give this client the certificate of its authority (the option tls, with ca).'

/** Takes a connection over. With a refusal, all that is asked on it is refused so. */
export type Accept = (socket: net.Socket, refusal?: string) => void

/** Accepts connections with TLS only. Clients without it, or without a certificate that is asked for, are refused. Throws `ExchangeError`. */
export function tlsListener(
  { verifyClients = false, ...pem }: NodeTlsOptions,
  accept: Accept,
): (socket: net.Socket) => void {
  if (!pem.cert || !pem.key || !pem.ca)
    throw new ExchangeError('A node with TLS needs tls.cert, tls.key and tls.ca: give all three.')
  const secure = usable(() =>
    tls.createServer(
      { ...pem, minVersion: 'TLSv1.2', requestCert: verifyClients, rejectUnauthorized: false },
      (socket) =>
        accept(
          socket,
          verifyClients && !socket.authorized ? untrusted(socket.authorizationError) : undefined,
        ),
    ),
  )
  secure.on('tlsClientError', (_, socket) => socket.destroy())
  return (socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => {
      socket.pause()
      socket.unshift(first)
      if (first[0] === TLS_HANDSHAKE) secure.emit('connection', socket)
      else accept(socket, PLAIN_CLIENT)
      process.nextTick(() => socket.resume())
    })
  }
}

const untrusted = (reason: Error | string | undefined): string =>
  `This node serves only clients with a certificate that its authority vouches for, and this one has none (${reason}): give the client tls.cert and tls.key.`

/** Connects to a node, with TLS where there are options for it. Throws `ExchangeError` when these cannot be used. */
export function connectTo(at: { host: string; port: number }, options: TlsOptions | undefined): net.Socket {
  if (!options) return net.connect(at).setNoDelay(true)
  // A name is needed to ask for a certificate, and an address is none.
  const name = net.isIP(at.host) ? {} : { servername: at.host }
  return usable(() => tls.connect({ ...at, ...name, ...options, minVersion: 'TLSv1.2' })).setNoDelay(true)
}

/** Event of a socket that is connected: with TLS, that the other side has shown its certificate. */
export const connectEvent = (options: TlsOptions | undefined): string =>
  options ? 'secureConnect' : 'connect'

/** Throws `ExchangeError` unless certificates and key can be read, and belong together. */
export function checkTls(options: TlsOptions | undefined): void {
  if (options) usable(() => tls.createSecureContext(options))
}

/** Why a node could not be connected to. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is not for this address: name it in the certificate, or connect by a name that is there (${message})`
  if (CERTIFICATE.test(code))
    return `its certificate is not trusted: tls.ca must be that of its authority (${message})`
  if (
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'EPROTO' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
  )
    return 'it does not speak TLS: leave tls out here, or start the node with a certificate'
  return message
}

const CERTIFICATE = /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|INVALID_CA|ERR_TLS_CERT)/

function usable<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new ExchangeError(
      `The certificates for TLS cannot be used: ${(error as Error).message}. Give them as PEM, and the key that belongs to cert.`,
    )
  }
}
