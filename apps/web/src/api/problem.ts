/** Failures as a person should read them: RFC 9457 problem details, or what kept the service from answering. */

export interface FieldError {
  field: string
  message: string
}

/** A refused or failed request. `status` is 0 when there was no answer at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The fields at fault, when the service names them. */
  readonly fields: FieldError[]

  constructor(status: number, title: string, detail: string, fields: FieldError[] = []) {
    super(detail || title)
    this.status = status
    this.title = title
    this.detail = detail
    this.fields = fields
  }

  /** True when the service could not be reached: worth a retry as it is. */
  get unreachable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return []
    const { field, message } = entry as Record<string, unknown>
    return [{ field: text(field), message: text(message) }]
  })
}

/** The problem that an answer with this status and parsed (or raw) body describes. */
export function problemOf(status: number, statusText: string, body: unknown): ApiProblem {
  if (typeof body === 'string' && body !== '')
    try {
      return problemOf(status, statusText, JSON.parse(body))
    } catch {
      // Not JSON: a proxy's page, which tells a person nothing.
    }
  const title = statusText || `Status ${status}`
  if (typeof body !== 'object' || body === null)
    return status >= 502 && status <= 504
      ? new ApiProblem(
          status,
          'The service does not answer',
          'HiveMind could not be reached. Check that it still runs.',
        )
      : new ApiProblem(status, title, `The service answered with status ${status}.`)
  const problem = body as Record<string, unknown>
  return new ApiProblem(
    status,
    text(problem.title) || title,
    text(problem.detail) || text(problem.title) || `The service answered with status ${status}.`,
    fieldErrors(problem.errors),
  )
}

/** Any thrown value as a problem; an abort stays what it is and must be told apart with `isAbort` first. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  if (error instanceof TypeError)
    return new ApiProblem(
      0,
      'The service does not answer',
      'HiveMind could not be reached. Check that it still runs, then try again.',
    )
  return new ApiProblem(-1, 'Something went wrong', error instanceof Error ? error.message : String(error))
}

/** Whether a request was given up on purpose. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
