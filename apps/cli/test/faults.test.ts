/** What goes wrong, in any command, is one clear sentence and an exit code. */
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exit, helloSwarm, hivemind, killRunning, scratchProject, small, type Write } from './command.ts'

let folder: string
let write: Write
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ folder, write, remove } = await scratchProject())
})
afterAll(async () => {
  killRunning()
  await remove()
})

const out = (name: string) => path.join(folder, name)

it.each<[string, () => string[] | Promise<string[]>, number, RegExp]>([
  [
    'an unknown file',
    () => ['check', out('no.hive.py')],
    exit.usage,
    /There is no file or folder '.*no\.hive\.py'/,
  ],
  [
    'a folder without a workflow',
    async () => ['check', path.dirname(await write('empty/readme.txt', ''))],
    exit.usage,
    /holds no workflow/,
  ],
  [
    'a folder with two workflows',
    async () => {
      await write('two/a.hive.py', small)
      return ['graph', path.dirname(await write('two/b.hive.py', small))]
    },
    exit.usage,
    /holds 2 workflows \(a\.hive\.py, b\.hive\.py\): name one of them/,
  ],
  [
    'a text that is not UTF-8',
    async () => [
      'fmt',
      '--write',
      await write('latin.hive.py', Buffer.from(`${small}# K\xfche\n`, 'latin1')),
    ],
    exit.workflow,
    /is not UTF-8 text: save it as UTF-8 \(line 4 is not\)/,
  ],
  [
    'a workflow with errors',
    async () => ['explore', await write('bad/bad.hive.py', 'Task(sense, None\n')],
    exit.workflow,
    /The workflow has .*error.*bad\.hive\.py:1:/s,
  ],
  [
    'task code that is missing',
    async () => ['synth', await write('bare/bare.hive.py', small), '--out', out('never')],
    exit.workflow,
    /tasks\/sense\.mjs/,
  ],
  ['an unknown option', () => ['check', helloSwarm, '--colour'], exit.usage, /unknown option '--colour'/],
  [
    'an unknown command',
    () => ['chekc', helloSwarm],
    exit.usage,
    /unknown command 'chekc'.*Did you mean check/s,
  ],
  ['no target', () => ['check'], exit.usage, /missing required argument 'workflow'/],
  [
    'an unknown fleet',
    () => ['explore', helloSwarm, '--fleet', 'submarines'],
    exit.usage,
    /There is no fleet 'submarines': no file submarines.fleet.json .* Known: .*paper-drones/,
  ],
  [
    'a file that holds no fleet',
    async () => ['explore', helloSwarm, '--fleet', await write('odd.json', '{"schema": "hivemind.fleet/1"}')],
    exit.usage,
    /The fleet '.*odd.json' cannot be used\. The fleet is wrong at 'name': it must be text, not empty\./,
  ],
  [
    'a number out of range',
    () => ['run', helloSwarm, '--agents', '0'],
    exit.usage,
    /It must be a whole number from 1 to 64/,
  ],
  [
    'an input that is not JSON',
    () => ['run', helloSwarm, '--input', 'x=y'],
    exit.usage,
    /What follows 'x=' must be JSON/,
  ],
  [
    'an inputs file that is no object',
    async () => ['run', helloSwarm, '--inputs', await write('list.json', '[1]')],
    exit.usage,
    /The inputs file '.*list\.json' must be a JSON object/,
  ],
  [
    'a profile that is not one',
    async () => ['explore', helloSwarm, '--profile', await write('profile.json', '{"schema": "other/1"}')],
    exit.usage,
    /The profile '.*profile\.json' is not valid/,
  ],
  [
    'an output that cannot be written',
    () => ['synth', helloSwarm, '--out', '/proc/hivemind/out'],
    exit.other,
    /The folder '\/proc\/hivemind' cannot be made: /,
  ],
  [
    'an output folder that is a file',
    async () => ['synth', helloSwarm, '--out', await write('file.txt', '')],
    exit.usage,
    /file\.txt' is a file: name a folder/,
  ],
  [
    'an output file that is a folder',
    async () => {
      await mkdir(out('clash/plan.json'), { recursive: true })
      return ['synth', helloSwarm, '--out', out('clash')]
    },
    exit.usage,
    /plan\.json' is a folder: name a file/,
  ],
  [
    'an unknown stub language',
    () => ['synth', helloSwarm, '--out', out('never'), '--stubs', 'py,cobol'],
    exit.usage,
    /'cobol' in --stubs is unknown. Known: cpp, py, js/,
  ],
  [
    'a placement file that is missing',
    () => ['synth', helloSwarm, '--placement', out('none.json'), '--out', out('never')],
    exit.usage,
    /The placement '.*none\.json' cannot be read/,
  ],
  [
    'a placement file that is not JSON',
    async () => [
      'synth',
      helloSwarm,
      '--placement',
      await write('p1.json', 'judge: edge'),
      '--out',
      out('never'),
    ],
    exit.usage,
    /The placement '.*p1\.json' is not JSON/,
  ],
  [
    'a placement file that names an unknown task',
    async () => [
      'synth',
      helloSwarm,
      '--placement',
      await write('p2.json', '{"judge": "edge", "toString": "edge"}'),
      '--out',
      out('never'),
    ],
    exit.usage,
    /The placement '.*p2\.json' names 'toString', which is no task. Tasks: readSensor, judge, summary/,
  ],
  [
    'a placement file with an unknown tier',
    async () => [
      'synth',
      helloSwarm,
      '--placement',
      await write('p3.json', '{"judge": 3}'),
      '--out',
      out('never'),
    ],
    exit.usage,
    /gives 'judge' the tier '3', which must be one of cloud, edge, fabric/,
  ],
  [
    'a placement that is no placement',
    () => ['deploy', helloSwarm, '--placement', 'nearest', '--plan'],
    exit.usage,
    /'nearest' in --placement must be TASK=TIER with one of the tiers cloud, edge, fabric/,
  ],
  [
    'a placement that is not possible',
    () => ['deploy', helloSwarm, '--placement', 'summary=edge', '--plan'],
    exit.workflow,
    /This placement is not possible:\n.*summary/,
  ],
])('%s', async (_, args, code, sentence) => {
  const outcome = await hivemind(...(await args()))
  expect(outcome.stderr).toMatch(sentence)
  expect(outcome.stderr).not.toMatch(/^\s+at /m)
  expect(outcome.code).toBe(code)
  expect(outcome.stdout).toBe('')
  await expect(stat(out('never'))).rejects.toThrow()
})
