/** Signatures of builds; keys and a second verification are those of OpenSSL. */
import { execFileSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Build, checkSignature, signBuild, signerOfBuild, trustedKeys } from './index.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hm-signature-'))
const at = (name: string): string => path.join(folder, name)
const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' })
const build = { folder: at('build'), manifest: { id: 'a1b2c3d4e5', files: {} } } as unknown as Build

beforeAll(() => {
  for (const name of ['ours', 'other']) {
    openssl('genpkey', '-algorithm', 'ed25519', '-out', at(`${name}.pem`))
    openssl('pkey', '-in', at(`${name}.pem`), '-pubout', '-out', at(`${name}.pub`))
  }
  openssl('genpkey', '-algorithm', 'RSA', '-out', at('rsa.pem'))
  openssl('pkey', '-in', at('rsa.pem'), '-pubout', '-out', at('rsa.pub'))
  writeFileSync(
    at('both.pub'),
    ['other.pub', 'ours.pub'].map((name) => readFileSync(at(name), 'utf8')).join(''),
  )
})
beforeEach(() => {
  rmSync(build.folder, { recursive: true, force: true })
  mkdirSync(build.folder)
  writeFileSync(path.join(build.folder, 'manifest.json'), JSON.stringify(build.manifest))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('OpenSSL verifies what we sign', () => {
  expect(signerOfBuild(build)).toBeUndefined()
  const { fingerprint } = signBuild(build, at('ours.pem'))
  expect(signerOfBuild(build)?.fingerprint).toBe(fingerprint)
  const sum = execFileSync('sha256sum', {
    input: openssl('pkey', '-pubin', '-in', at('ours.pub'), '-outform', 'DER'),
  })
  expect(sum.toString('utf8').split(' ')[0]).toBe(fingerprint)
  const { signature, key } = JSON.parse(readFileSync(path.join(build.folder, 'manifest.sig'), 'utf8'))
  writeFileSync(at('raw'), Buffer.from(signature, 'base64'))
  expect(
    createPublicKey(readFileSync(at('ours.pub')))
      .export({ format: 'der', type: 'spki' })
      .toString('base64'),
  ).toBe(key)
  const manifest = path.join(build.folder, 'manifest.json')
  const verifying = [
    '-verify',
    '-rawin',
    '-pubin',
    '-inkey',
    at('ours.pub'),
    '-in',
    manifest,
    '-sigfile',
    at('raw'),
  ]
  expect(openssl('pkeyutl', ...verifying).toString('utf8')).toContain('Verified Successfully')
})

test('where keys are trusted, a build of one of them is let through, and no other', () => {
  const ours = trustedKeys(at('ours.pub'))
  expect(() => checkSignature(build, undefined)).not.toThrow()
  expect(() => checkSignature(build, ours)).toThrow(
    /Build a1b2c3d4 is not signed.*fabric sign a1b2c3d4 --key FILE/,
  )
  const { fingerprint } = signBuild(build, at('other.pem'))
  expect(() => checkSignature(build, ours)).toThrow(
    `signed by the key ${fingerprint.slice(0, 16)}, which is not in`,
  )
  expect(() => checkSignature(build, trustedKeys(at('both.pub')))).not.toThrow()
  signBuild(build, at('ours.pem'))
  expect(() => checkSignature(build, ours)).not.toThrow()
})

test('a manifest that was changed after it was signed is damaged, and so is one that changed since it was read', () => {
  signBuild(build, at('ours.pem'))
  const manifest = { ...build.manifest, id: 'ffffffff' }
  writeFileSync(path.join(build.folder, 'manifest.json'), JSON.stringify(manifest))
  const wrong = {
    code: 'damaged',
    message: expect.stringContaining('manifest.sig is not a signature of the manifest'),
  }
  for (const each of [build, { ...build, manifest }])
    expect(() => checkSignature(each, trustedKeys(at('ours.pub')))).toThrow(expect.objectContaining(wrong))
  signBuild(build, at('ours.pem'))
  expect(() => signerOfBuild(build)).toThrow(expect.objectContaining(wrong))
  writeFileSync(path.join(build.folder, 'manifest.sig'), '{')
  expect(() => signerOfBuild(build)).toThrow(expect.objectContaining(wrong))
})

test('files that hold no key are named, with how to make one', () => {
  expect(trustedKeys('')).toBeUndefined()
  expect(() => trustedKeys(at('none'))).toThrow(`There is no file ${at('none')}.`)
  for (const name of ['rsa.pub', 'build/manifest.json'])
    expect(() => trustedKeys(at(name))).toThrow(`${at(name)} does not hold public keys of Ed25519 as PEM`)
  for (const name of ['rsa.pem', 'ours.pub'])
    expect(() => signBuild(build, at(name))).toThrow(
      `${at(name)} does not hold a private key of Ed25519 as PEM: \`openssl genpkey -algorithm ed25519\` writes such.`,
    )
})
