import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { Controller, Get, Inject, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'

const YEAR_MS = 365 * 24 * 3600_000

/** Serves the built web app: its files, and its page for every address that only the app knows. */
@Controller()
export class WebController {
  private readonly root: string

  constructor(@Inject(CONFIG) config: Config) {
    this.root = config.webDir
  }

  @Get('*')
  async serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const pathname = pathOf(request.url)
    if (pathname === null || pathname === '/api' || pathname.startsWith('/api/'))
      throw new Problem(404, 'There is no such address in the API; /api/openapi.json lists them.')
    if (!existsSync(path.join(this.root, 'index.html')))
      throw new Problem(404, 'The web app is not built: run `npm start`, or `npx vite build` in apps/web.')
    const file = path.posix.normalize(pathname).slice(1)
    if (file !== '' && file !== 'index.html' && this.isFile(file)) {
      // Vite puts a hash of its content into the name of everything in assets/.
      const hashed = file.startsWith('assets/')
      await reply.sendFile(file, { maxAge: hashed ? YEAR_MS : 0, immutable: hashed })
      return
    }
    if (path.posix.extname(file) !== '' && file !== 'index.html')
      throw new Problem(404, 'The web app has no such file.')
    await reply.header('Cache-Control', 'no-cache').sendFile('index.html', { cacheControl: false })
  }

  private isFile(file: string): boolean {
    const full = path.join(this.root, file)
    if (!full.startsWith(this.root + path.sep)) return false
    return statSync(full, { throwIfNoEntry: false })?.isFile() ?? false
  }
}

function pathOf(url: string): string | null {
  try {
    const decoded = decodeURIComponent(url.split('?')[0] ?? '/')
    return decoded.includes('\0') || decoded.includes('\\') ? null : decoded
  } catch {
    return null
  }
}
