/** `hivemind deploy --dry-run`; what really starts is in run.slow.test.ts. */
import { afterAll, expect, it } from 'vitest'
import { exit, helloSwarm, hivemind, killRunning } from './command.ts'

afterAll(killRunning)

it('with --dry-run tells what it would start', async () => {
  const outcome = await hivemind(
    'deploy',
    helloSwarm,
    '--placement',
    'judge=edge',
    '--agents',
    '2',
    '--dry-run',
  )
  expect(outcome).toMatchObject({
    code: exit.fine,
    stdout: 'create function summary\ncreate agent device-1\ncreate agent device-2\n',
  })
})
