/** Ties a controller's method to its route in the contract: path, method, status and validation come from there. */
import { Readable } from 'node:stream'
import { type Route, type RouteName, routes } from '@hivemind/contracts'
import {
  type ArgumentMetadata,
  applyDecorators,
  Delete,
  Get,
  HttpCode,
  Patch,
  type PipeTransform,
  Post,
  Put,
  UsePipes,
} from '@nestjs/common'
import { z } from 'zod'
import { type FieldError, invalid, Problem } from './problem.ts'

type Routes = typeof routes
/** The checked body of a route, with its defaults filled in. */
export type BodyOf<K extends RouteName> = Routes[K] extends { body: infer S extends z.ZodType }
  ? z.output<S>
  : never
export type QueryOf<K extends RouteName> = Routes[K] extends { query: infer S extends z.ZodType }
  ? z.output<S>
  : never
export type AnswerOf<K extends RouteName> = Routes[K] extends { answer: infer S extends z.ZodType }
  ? z.output<S>
  : never

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/
/** Parameters of a path that are numbers. */
const NUMBERED: Record<string, RegExp> = { version: /^[1-9]\d{0,8}$/, index: /^\d{1,9}$/ }
const methods = { get: Get, post: Post, put: Put, patch: Patch, delete: Delete }

function fieldsOf(error: z.ZodError): FieldError[] {
  const at = (path: PropertyKey[]) => path.map(String).join('.') || '(body)'
  return error.issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: at([...issue.path, key]), message: 'is not a known field' }))
        : [{ field: at(issue.path), message: issue.message }],
    )
    .slice(0, 20)
}

/** Deepest nesting of a body: readers of values that are not ours recurse. */
const MAX_DEPTH = 100

/** Whether objects and lists are nested deeper than `levels`. Itself without recursion. */
function isDeeperThan(levels: number, value: object): boolean {
  let level: object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((each) =>
      Object.values(each).filter((item) => typeof item === 'object' && item !== null),
    )
  }
  return false
}

/** Strings no text column and no file name can hold. */
function unstorable(value: unknown, path: string[]): FieldError[] {
  if (typeof value === 'string') {
    const field = path.join('.') || '(body)'
    if (value.includes('\0')) return [{ field, message: 'contains a NUL character' }]
    if (!value.isWellFormed()) return [{ field, message: 'contains half of a surrogate pair' }]
    return []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...unstorable(key, [...path, key.replaceAll('\0', '')]),
    ...unstorable(item, [...path, key]),
  ])
}

/** Checks `value` against `schema`; a 400 names each field at fault. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  const errors = parsed.success ? unstorable(parsed.data, []) : fieldsOf(parsed.error)
  if (parsed.success && errors.length === 0) return parsed.data
  const [first] = errors
  throw new Problem(
    400,
    `${first?.field}: ${first?.message}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
    errors,
  )
}

class ContractPipe implements PipeTransform {
  private readonly route: Route

  constructor(route: Route) {
    this.route = route
  }

  transform(value: unknown, { type, data }: ArgumentMetadata): unknown {
    if (type === 'body') {
      if (!this.route.body) return undefined
      if (value instanceof Readable) throw new Problem(415, 'Send the body as application/json.')
      if (typeof value !== 'object' || value === null)
        throw new Problem(400, 'The body must be a JSON object.', [
          { field: '(body)', message: 'must be a JSON object' },
        ])
      if (isDeeperThan(MAX_DEPTH, value)) throw invalid('(body)', `is nested deeper than ${MAX_DEPTH} levels`)
      return validate(this.route.body, value)
    }
    if (type === 'query') return validate(this.route.query ?? z.strictObject({}), value)
    if (type !== 'param' || typeof value !== 'string') return value
    const form = NUMBERED[data ?? ''] ?? ID
    if (!form.test(value)) throw new Problem(404, `There is no ${data} '${storableName(value)}'.`)
    return form === ID ? value : Number(value)
  }
}

const storableName = (value: string) => value.replace(/[^\w.-]/g, '?').slice(0, 80)

/** Makes a method answer the route of that name. */
export function Operation(name: RouteName): MethodDecorator {
  const route: Route = routes[name]
  const path = `/api${route.path.replace(/\{(\w+)\}/g, ':$1')}`
  return applyDecorators(
    methods[route.method](path),
    HttpCode(route.status),
    UsePipes(new ContractPipe(route)),
  )
}
