import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Build } from './cache.ts'
import { FabricError } from './error.ts'

/** `manifest.sig` of a build: whose it is. The manifest names the hash of each file, so all of them are signed by it. */
interface SignatureFile {
  /** The public key, in base64 of its DER form (SPKI). */
  key: string
  /** Ed25519 over the bytes of `manifest.json`, in base64. */
  signature: string
}

/** Who signed a build. */
export interface Signer {
  key: KeyObject
  /** sha-256 of the public key's DER form, in hexadecimal. */
  fingerprint: string
}

const SIGNATURE = 'manifest.sig'
const MANIFEST = 'manifest.json'

const der = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' })
const signerOf = (key: KeyObject): Signer => ({
  key,
  fingerprint: createHash('sha256').update(der(key)).digest('hex'),
})

/**
 * Signs the manifest of a build with the private key of a PEM file (PKCS #8, Ed25519); a signature that is there is replaced.
 * Throws `bad-parameters` for a file that holds no such key.
 */
export function signBuild({ folder }: Build, keyFile: string): Signer {
  const [key] = readKeys(keyFile, PRIVATE, (pem) => [createPrivateKey(pem)]) as [KeyObject]
  const signer = signerOf(createPublicKey(key))
  const signature = sign(null, readFileSync(path.join(folder, MANIFEST)), key)
  const content: SignatureFile = {
    key: der(signer.key).toString('base64'),
    signature: signature.toString('base64'),
  }
  const file = path.join(folder, SIGNATURE)
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(content)}\n`)
  renameSync(`${file}.${process.pid}`, file)
  return signer
}

/** Who signed a build; `undefined` for one that is not signed. Throws `damaged` when the signature is not that of its manifest. */
export function signerOfBuild({ folder, manifest }: Build): Signer | undefined {
  const file = path.join(folder, SIGNATURE)
  const bytes = readFileSync(path.join(folder, MANIFEST))
  try {
    const { key: text, signature } = JSON.parse(readFileSync(file, 'utf8')) as SignatureFile
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    // the manifest that was read before must be the one that is signed
    const isOfManifest = JSON.stringify(JSON.parse(bytes.toString('utf8'))) === JSON.stringify(manifest)
    if (isOfManifest && isEd25519(key) && verify(null, bytes, key, Buffer.from(signature, 'base64')))
      return signerOf(key)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  }
  throw new FabricError('damaged', `${file} is not a signature of the manifest beside it: sign it again.`)
}

const PEM_BLOCK = /-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g

/**
 * The public keys of those whose builds may be loaded: of the PEM file that `HIVEMIND_FABRIC_TRUSTED` names, one after another;
 * `undefined` where it names none, and builds need no signature. Throws `bad-parameters`.
 */
export function trustedKeys(file = process.env.HIVEMIND_FABRIC_TRUSTED): KeyObject[] | undefined {
  if (file === undefined || file === '') return undefined
  return readKeys(file, PUBLIC, (pem) => (pem.toString('utf8').match(PEM_BLOCK) ?? []).map(createPublicKey))
}

/** Throws `not-trusted` for a build that none of these keys signed, and `damaged` for a wrong signature. */
export function checkSignature(build: Build, trusted: readonly KeyObject[] | undefined): void {
  if (trusted === undefined) return
  const signer = signerOfBuild(build)
  const id = build.manifest.id.slice(0, 8)
  if (!signer)
    throw new FabricError(
      'not-trusted',
      `Build ${id} is not signed, and this board takes signed builds alone: \`hivemind fabric sign ${id} --key FILE\` signs it.`,
    )
  if (!trusted.some((key) => key.equals(signer.key)))
    throw new FabricError(
      'not-trusted',
      `Build ${id} is signed by the key ${signer.fingerprint.slice(0, 16)}, which is not in the file of HIVEMIND_FABRIC_TRUSTED.`,
    )
}

const isEd25519 = (key: KeyObject): boolean => key.asymmetricKeyType === 'ed25519'

/** What a PEM file is to hold, and what writes it. */
const PRIVATE = ['a private key', 'openssl genpkey -algorithm ed25519']
const PUBLIC = ['public keys', 'openssl pkey -pubout -in PRIVATE.pem']

/** Keys of a PEM file. Throws `bad-parameters` with how to make one. */
function readKeys(file: string, [what, how]: string[], read: (pem: Buffer) => KeyObject[]): KeyObject[] {
  try {
    const keys = read(readFileSync(file))
    if (keys.length > 0 && keys.every(isEd25519)) return keys
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new FabricError('bad-parameters', `There is no file ${file}.`)
  }
  throw new FabricError(
    'bad-parameters',
    `${file} does not hold ${what} of Ed25519 as PEM: \`${how}\` writes such.`,
  )
}
