import type { accessKeys } from '@hivemind/contracts'
import type { Command } from 'commander'
import type { z } from 'zod'
import { usageFault } from '../failure.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { DEFAULT_SERVICE, ServiceClient, serviceHelp } from '../service.ts'

type Grant = z.output<typeof accessKeys.Grant>

const UNIT_MS: Record<string, number> = { h: 3600_000, d: 24 * 3600_000 }
const WORDS: Record<Grant['access'], string> = { read: 'read', 'read-write': 'read and write' }

const EXAMPLES = `
Examples:
  hivemind store keys add camera --write /factory/images/camera --expires 90d > camera.key
  HIVEMIND_STORE_KEY=$(cat camera.key) hivemind store put /factory/images/camera/7 photo.jpg
  hivemind store keys rm camera`

interface AddOptions {
  service: string
  read: string[]
  write: string[]
  expires?: string
}

/** What an access key may do in a pool, for a table. */
export const keyText = ({ name, prefix, access }: Grant & { name: string }, pool: string): string =>
  `${name} (${WORDS[access]}${prefix === pool ? '' : ` ${prefix.slice(pool.length + 1)}`})`

/** `hivemind store keys`: access keys of the store. They are made by people, so `HIVEMIND_STORE_KEY` does not count here. */
export function addKeys(store: Command): void {
  const group = store
    .command('keys')
    .description('make, list and remove access keys, each for a part of the store')
    .addHelpText('after', EXAMPLES)
  const add = (name: string, description: string): Command =>
    group.command(name).description(description).option('--service <url>', serviceHelp, DEFAULT_SERVICE)
  const collect = (prefix: string, before: string[]): string[] => [...before, prefix]

  add('add', 'make a key; prints its secret, this once')
    .argument('<name>', 'such as camera-7')
    .option('--read <prefix>', 'it may read under this prefix; may be given several times', collect, [])
    .option(
      '--write <prefix>',
      'it may read and write under this prefix; may be given several times',
      collect,
      [],
    )
    .option(
      '--expires <time>',
      'when it expires: 90d or 12h from now, or a time such as 2027-01-31T00:00:00Z; never when absent',
    )
    .action(async (name: string, { service, read, write, expires }: AddOptions) => {
      const grants: Grant[] = [
        ...read.map((prefix): Grant => ({ prefix, access: 'read' })),
        ...write.map((prefix): Grant => ({ prefix, access: 'read-write' })),
      ]
      if (grants.length === 0) throw usageFault('Say what the key may do: --read PREFIX or --write PREFIX.')
      const body = { name, grants, ...(expires !== undefined && { expiresAt: timeOf(expires, Date.now()) }) }
      const { secret } = await new ServiceClient(service).call('createAccessKey', { body })
      answer(secret)
      say(`Access key ${name} is made. Keep its secret: it is not shown again.`)
    })

  add('ls', 'list the keys, without their secrets')
    .option('--json', 'print them as JSON')
    .action(async ({ service, json }: { service: string; json?: boolean }) => {
      const keys = await new ServiceClient(service).call('listAccessKeys')
      if (json) return answerJson(keys)
      if (keys.length === 0) return say('There is no access key: make one with hivemind store keys add.')
      const rows = keys.map(({ name, grants, expiresAt = 'never', expired }) => [
        name,
        expired ? `expired ${expiresAt}` : expiresAt,
        grants.map(({ prefix, access }) => `${WORDS[access]} ${prefix}`).join(', '),
      ])
      answer(table([['key', 'expires', 'may'], ...rows]))
    })

  add('rm', 'remove a key: it is refused from now on, and its open streams end')
    .argument('<name>', 'as ls prints it')
    .action(async (name: string, { service }: { service: string }) => {
      await new ServiceClient(service).call('removeAccessKey', { path: { key: name } })
      say(`Access key ${name} is removed.`)
    })
}

/** A time as ISO 8601. Throws `Failure`. */
function timeOf(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  const ms = count === undefined ? Date.parse(text) : now + Number(count) * (UNIT_MS[unit] ?? 0)
  if (Number.isNaN(ms) || (count === undefined && !/^\d{4}-\d\d-\d\d/.test(text)))
    throw usageFault(`--expires is '${text}': give 90d, 12h, or a time such as 2027-01-31T00:00:00Z.`)
  return new Date(ms).toISOString()
}
