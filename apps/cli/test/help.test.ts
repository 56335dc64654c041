/** `hivemind --help`, and that of every command. */
import { afterAll, expect, it } from 'vitest'
import { exit, hivemind, killRunning } from './command.ts'

afterAll(killRunning)

// Starts a process for each command, which takes its time on a busy machine.
it('lists the commands, and gives an example of each', { timeout: 180_000 }, async () => {
  const { stdout, code } = await hivemind('--help')
  expect(code).toBe(exit.fine)
  expect(stdout).toContain(
    'Exit codes: 0 fine, 1 the workflow is at fault, 2 usage, 3 something else failed.',
  )
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name ?? '')
  expect(commands).toEqual(
    expect.arrayContaining(['check', 'fmt', 'graph', 'explore', 'synth', 'deploy', 'run', 'profile']),
  )
  for (const command of commands) {
    const help = await hivemind(command, '--help')
    expect(help.code).toBe(exit.fine)
    expect(help.stdout).toMatch(new RegExp(`Example:\\n {2}hivemind ${command} \\S`))
    expect(help.stdout).toContain('--json')
  }
})
