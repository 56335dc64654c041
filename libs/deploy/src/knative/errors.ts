/** Failures of a cluster, in a sentence that says how to mend them. */

/** What a cluster refused, or that it did not answer. */
export class ClusterError extends Error {
  /** HTTP status of the answer; absent when there was none. */
  readonly status: number | undefined
  /** The cluster does not know the kind of object. */
  readonly unknownKind: boolean

  /** It may well answer a moment later: it was not there, or had too much to do. */
  readonly passing: boolean

  constructor(
    message: string,
    { status, unknownKind = false, passing = false }: Partial<Omit<ClusterError, keyof Error>> = {},
  ) {
    super(message)
    this.name = 'ClusterError'
    this.status = status
    this.unknownKind = unknownKind
    this.passing = passing
  }
}

/** The failure of a call to a cluster's API as a `ClusterError`. */
export function sentenceOf(error: unknown, what: string, server: string, namespace: string): ClusterError {
  if (error instanceof ClusterError) return error
  const { code, body, message } = error as { code?: unknown; body?: unknown; message: string }
  // The library throws a plain error for a kind that its discovery does not find.
  if (/Unrecognized API version and kind/.test(message))
    return new ClusterError(
      `The cluster at ${server} has no Knative Serving (${message.replace(/\.$/, '')}). Install it, or choose another cluster.`,
      { status: 404, unknownKind: true },
    )
  if (typeof code !== 'number')
    return new ClusterError(`The cluster at ${server} did not answer: ${causeOf(error)}.`, { passing: true })
  const said = saidIn(body) ?? message
  if (code === 401)
    return new ClusterError(
      `The cluster at ${server} does not accept the credentials of the kubeconfig: renew them.`,
      { status: code },
    )
  if (code === 403)
    return new ClusterError(
      `The cluster does not let this account ${what} in namespace '${namespace}': ${said}`,
      { status: code },
    )
  const passing = code >= 500 || code === 429
  return new ClusterError(`The cluster refused to ${what}: ${said}`, { status: code, passing })
}

/** The message of a Kubernetes `Status`. */
function saidIn(body: unknown): string | undefined {
  try {
    const status = (typeof body === 'string' ? JSON.parse(body) : body) as { message?: string }
    return status?.message
  } catch {
    return undefined
  }
}

/** The innermost cause: "fetch failed" helps nobody. */
function causeOf(error: unknown): string {
  let inner = error as Error & { cause?: unknown }
  while (inner.cause instanceof Error) inner = inner.cause as typeof inner
  return inner.message.replace(/\.$/, '')
}
