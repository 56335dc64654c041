/** Failures that are the caller's to mend: they become `application/problem+json` answers. */

export interface FieldError {
  /** Path of the field, such as `layout.nodes.detect.x`. */
  field: string
  message: string
}

const TITLES: Record<number, string> = {
  400: 'Not valid',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Too slow',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Unknown media type',
  422: 'Not possible',
  429: 'Too many attempts',
  431: 'Address or headers too large',
  500: 'Internal error',
  503: 'Not available',
  507: 'Disk full',
}

export class Problem extends Error {
  readonly status: number
  readonly errors: FieldError[]

  constructor(status: number, detail: string, errors: FieldError[] = []) {
    super(detail)
    this.name = 'Problem'
    this.status = status
    this.errors = errors
  }

  /** The RFC 9457 body. */
  toJSON(): Record<string, unknown> {
    return {
      type: 'about:blank',
      title: TITLES[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      ...(this.errors.length > 0 ? { errors: this.errors } : {}),
    }
  }
}

/** 400 over one field. */
export const invalid = (field: string, message: string) =>
  new Problem(400, `${field}: ${message}`, [{ field, message }])

/** 422 over one field: well formed, but it cannot be done. */
export const impossible = (field: string, message: string) => new Problem(422, message, [{ field, message }])

export const notFound = (noun: string, id: string | number) =>
  new Problem(404, `There is no ${noun} '${String(id).slice(0, 80)}'.`)

export const conflict = (detail: string, errors: FieldError[] = []) => new Problem(409, detail, errors)
