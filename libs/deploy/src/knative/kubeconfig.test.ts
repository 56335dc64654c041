/** A kubeconfig that somebody pastes: one context is taken, and nothing of this machine is read, run or repeated. */
import { expect, test } from 'vitest'
import { accessOf } from './kubeconfig.ts'

const SECRET = 'very-secret-token'
interface Parts {
  cluster?: Record<string, unknown>
  user?: Record<string, unknown>
  current?: string | null
}
const text = ({ cluster = {}, user = { token: SECRET }, current = 'lab' }: Parts = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    ...(current !== null && { 'current-context': current }),
    clusters: [
      { name: 'lab', cluster: { server: 'https://lab:6443', ...cluster } },
      { name: 'field', cluster: { server: 'https://field:6443' } },
    ],
    users: [
      { name: 'me', user },
      { name: 'other', user: { token: 'token-of-another' } },
    ],
    contexts: [
      { name: 'lab', context: { cluster: 'lab', user: 'me', namespace: 'swarm' } },
      { name: 'field', context: { cluster: 'field', user: 'other' } },
      { name: 'void', context: { cluster: 'gone', user: 'me' } },
    ],
  })

test('the current context, or the one that is named, with its own credentials alone', async () => {
  const lab = await accessOf(text())
  expect(lab).toMatchObject({
    context: 'lab',
    server: 'https://lab:6443',
    namespace: 'swarm',
    contexts: ['lab', 'field', 'void'],
  })
  expect(lab.kubeconfig).toContain(SECRET)
  expect(lab.kubeconfig).not.toContain('token-of-another')
  expect(lab.kubeconfig).not.toContain('field')
  // What is kept is a kubeconfig again.
  expect(await accessOf(lab.kubeconfig)).toMatchObject({ context: 'lab', contexts: ['lab'] })
  expect(await accessOf(text(), 'field')).toMatchObject({
    server: 'https://field:6443',
    namespace: 'default',
  })
})

test.each<[string, string, string | undefined, RegExp]>([
  ['no YAML', `users: [{ token: "${SECRET}`, undefined, /^The kubeconfig is not YAML: see line 1\.$/],
  ['something else', 'hello', undefined, /^This is no kubeconfig: it has no contexts\. /],
  ['nothing', '', undefined, /^This is no kubeconfig: /],
  ['an entry without a name', '{"users":[{"user":{}}]}', undefined, /^This is no kubeconfig: /],
  ['a list for a text', text({ user: { token: ['a', ['b']] } }), undefined, /has a list or a map where a/],
  ['another context', text(), 'sea', /^The kubeconfig has no context 'sea'\. It has: lab, field, void\.$/],
  ['no current context', text({ current: null }), undefined, /^The kubeconfig has no current context\. /],
  ['no cluster', text(), 'void', /^The kubeconfig names no cluster for the context 'void'\.$/],
  ['no address', text({ cluster: { server: 'lab' } }), undefined, /'lab' is no https URL/],
  ['a file', text({ cluster: { 'certificate-authority': '/etc/passwd' } }), undefined, /names a file/],
  ['a certificate', text({ user: { 'client-certificate': 'a' } }), undefined, /'client-certificate-data'/],
  ['a key', text({ user: { 'client-key': 'a' } }), undefined, /'client-key-data'/],
  ['a program', text({ user: { exec: { command: 'sh' } } }), undefined, /does not run: give a user with a/],
  ['a provider', text({ user: { 'auth-provider': { name: 'x' } } }), undefined, /\('auth-provider'\)/],
  ['no credentials', text({ user: { tokenFile: '/etc/passwd' } }), undefined, /has no credentials for/],
])('%s is refused in a sentence', async (_, given, context, message) => {
  const error: unknown = await accessOf(given, context).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'ClusterError', message: expect.stringMatching(message) })
  expect(String(error)).not.toContain(SECRET)
})
