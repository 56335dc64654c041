import type { SandboxReport } from '@hivemind/task-runner'
import { expect, test } from 'vitest'
import { sandboxState, sandboxWarning } from './sandbox.ts'

const works: SandboxReport = { works: true, features: { noNestedNamespaces: true, ownProc: true } }
const missing: SandboxReport = { works: false, reason: 'there is no bwrap', fix: 'install it' }

test.each([
  ['auto', works, 'on', undefined],
  ['required', works, 'on', undefined],
  ['off', works, 'off', /^HIVEMIND_SANDBOX is off: .*rights of this service/],
  [
    'auto',
    missing,
    'off',
    /there is no bwrap\. Task code runs with the rights of this service\. To fix it, install it\.$/,
  ],
  [
    'required',
    missing,
    'refused',
    /there is no bwrap\. No task code runs .* install it; or set HIVEMIND_SANDBOX=off/,
  ],
] as const)('%s, %o: %s', (mode, report, state, warning) => {
  expect(sandboxState(mode, report)).toBe(state)
  if (warning === undefined) expect(sandboxWarning(mode, report)).toBeUndefined()
  else expect(sandboxWarning(mode, report)).toMatch(warning)
})
