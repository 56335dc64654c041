import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(?:js|css|html|svg|json|wasm)$/
/** Smaller files, in bytes, fit into a packet as they are. */
const LEAST = 1_024
/** Of 11; the last two take several times as long for a few per cent. */
const BROTLI_QUALITY = 9

/** Writes every text file of the build once more as brotli (`.br`) and gzip (`.gz`), which the service sends as they are. */
export function compressed(): Plugin {
  let outDir = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      outDir = path.resolve(config.root, config.build.outDir)
    },
    closeBundle() {
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(outDir, name)
        const content = TEXT.test(name) ? readFileSync(file) : Buffer.alloc(0)
        if (content.length < LEAST) continue
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}
