/** When task code is confined: the setting `HIVEMIND_SANDBOX`. */

/** `auto`: where this machine can. `required`: nothing runs where it cannot. `off`: never. */
export type SandboxMode = 'auto' | 'required' | 'off'

export const SANDBOX_MODES: readonly SandboxMode[] = ['auto', 'required', 'off']

/** Reads the setting; `auto` when it is not set. Throws an `Error` with a sentence for any other value. */
export function sandboxModeIn(env: NodeJS.ProcessEnv): SandboxMode {
  const text = env.HIVEMIND_SANDBOX || 'auto'
  const mode = SANDBOX_MODES.find((each) => each === text)
  if (mode === undefined)
    throw new Error(`HIVEMIND_SANDBOX is '${text}': give one of ${SANDBOX_MODES.join(', ')}.`)
  return mode
}

/** Variables of the service that the processes which start task code are given. No password or address of a database is among them. */
const PASSED_ON = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_CACHE_HOME'],
  ...['HIVEMIND_PYTHON', 'HIVEMIND_SANDBOX', 'HIVEMIND_FABRIC_DIR'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'],
]

/** The environment of a process that starts task code: nothing of `env` that is a secret. */
export const hostEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
