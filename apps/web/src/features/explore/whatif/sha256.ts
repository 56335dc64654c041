/** SHA-256 in hexadecimal; `undefined` where browsers refuse it: on pages served without TLS by another machine. */
export async function sha256(text: string): Promise<string | undefined> {
  const { subtle } = globalThis.crypto ?? {}
  if (!subtle) return undefined
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
