/** Certificates of the door for devices of other machines: an authority of the fleet, and what it vouches for. */
import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** A certificate and its private key, as PEM texts. */
export interface Certified {
  cert: string
  key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
/** Devices without a clock of their own begin in 1970. The last moment is X.509's own for "never". */
const ALWAYS = { notBefore: new Date(0), notAfter: new Date('9999-12-31T23:59:59Z') }

/** Makes the authority of a fleet. Devices that trust it trust whatever certificate it vouches for later. */
export async function newAuthority(fleet: string): Promise<Certified> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    ...ALWAYS,
    name: [{ CN: [`HiveMind ${fleet}`] }],
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: cert.toString('pem'), key: await pemOf(keys.privateKey) }
}

/**
 * Makes a certificate that an authority vouches for, with a key of its own.
 * @param address name or IP address by which devices dial in
 */
export async function certificateFor(authority: Certified, address: string): Promise<Certified> {
  const issuer = new x509.X509Certificate(authority.cert)
  const [encoded] = x509.PemConverter.decode(authority.key)
  const signingKey = await crypto.subtle.importKey('pkcs8', encoded as ArrayBuffer, ALGORITHM, false, [
    'sign',
  ])
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const cert = await x509.X509CertificateGenerator.create({
    ...ALWAYS,
    subject: [{ CN: ['HiveMind devices'] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([{ type: isIP(address) ? 'ip' : 'dns', value: address }]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { cert: cert.toString('pem'), key: await pemOf(keys.privateKey) }
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}
