import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { resources } from '@hivemind/contracts'
import { type Profile, parseProfile } from '@hivemind/swarm'
import { Inject, Injectable } from '@nestjs/common'
import { z } from 'zod'
import { ChecksService } from '../checks/checks.service.ts'
import { log } from '../common/log.ts'
import { invalid } from '../common/problem.ts'

import { CONFIG, type Config } from '../config/config.ts'
import type { Noun } from '../database/tables.ts'

const Manifest = z.object({
  title: z.string().min(1),
  summary: z.string(),
  order: z.number().default(1_000),
  itemsPerDevice: z.number().int().min(1).optional(),
})

export interface ExampleSource {
  dir: string
  workflowFile: string
  text: string
  layout: Noun<'Layout'>
  profile?: Profile
}

async function optional(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}

/** The examples that ship with HiveMind, read from their folder. */
@Injectable()
export class ExamplesService {
  private readonly folder: string
  private readonly checks: ChecksService

  constructor(@Inject(CONFIG) config: Config, checks: ChecksService) {
    this.folder = config.examplesDir
    this.checks = checks
  }

  async list(): Promise<Noun<'Example'>[]> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch(() => [])
    const found: { order: number; example: Noun<'Example'> }[] = []
    for (const entry of entries) {
      if (!entry.isDirectory() || !resources.Id.safeParse(entry.name).success) continue
      const manifest = await this.manifest(entry.name)
      const source = manifest && (await this.workflowOf(entry.name))
      if (!manifest || !source) continue
      found.push({
        order: manifest.order,
        example: {
          id: entry.name,
          title: manifest.title,
          summary: manifest.summary,
          tasks: (await this.checks.summary(source.text)).tasks,
          readme: (await optional(path.join(this.folder, entry.name, 'README.md'))) ?? '',
        },
      })
    }
    return found
      .sort((a, b) => a.order - b.order || (a.example.id < b.example.id ? -1 : 1))
      .map(({ example }) => example)
  }

  /** What a project made from it starts with. Throws a 400 that names `example`. */
  async source(id: string): Promise<ExampleSource> {
    const found = (await this.manifest(id)) && (await this.workflowOf(id))
    if (!found) throw invalid('example', `there is no example '${id}'`)
    const dir = path.join(this.folder, id)
    const layoutText = await optional(path.join(dir, 'layout.json'))
    const layout = layoutText === null ? null : resources.Layout.safeParse(this.parse(layoutText))
    const profileText = await optional(path.join(dir, 'profile.json'))
    return {
      dir,
      ...found,
      layout: layout?.success ? layout.data : { nodes: {} },
      ...(profileText === null ? {} : { profile: this.profileOf(id, profileText) }),
    }
  }

  /** Items for each device that the example is meant for, when it says so. */
  async itemsPerDevice(id: string | undefined): Promise<number | undefined> {
    return id === undefined ? undefined : (await this.manifest(id))?.itemsPerDevice
  }

  private profileOf(id: string, text: string): Profile | undefined {
    try {
      return parseProfile(JSON.parse(text))
    } catch (error) {
      log.warn({ example: id, err: error }, 'The profile of an example is left out.')
      return undefined
    }
  }

  private parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      return null
    }
  }

  private async manifest(id: string) {
    const text = await optional(path.join(this.folder, id, 'example.json'))
    const parsed = text === null ? null : Manifest.safeParse(this.parse(text))
    return parsed?.success ? parsed.data : null
  }

  private async workflowOf(id: string): Promise<{ workflowFile: string; text: string } | null> {
    const names = await readdir(path.join(this.folder, id)).catch(() => [])
    const [workflowFile, ...others] = names.filter((name) => name.endsWith('.hive.py'))
    if (workflowFile === undefined || others.length > 0) return null
    const text = await optional(path.join(this.folder, id, workflowFile))
    return text === null ? null : { workflowFile, text }
  }
}
