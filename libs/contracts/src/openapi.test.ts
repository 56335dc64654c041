import openapiTS from 'openapi-typescript'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { openApiDocument } from './openapi.ts'
import { type Route, routes } from './routes.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required: boolean; schema: unknown }[]
  requestBody?: unknown
  responses: Record<string, { content?: Record<string, unknown> }>
  security?: unknown[]
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties?: object; required?: string[] }> }
}
const document = openApiDocument('1.2.3') as unknown as Document
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : refsIn(item),
  )
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI (checked by the linter that openapi-typescript brings)', async () => {
    await expect(openapiTS(JSON.stringify(document), { silent: true })).resolves.not.toHaveLength(0)
  })

  test('has every route once, under its key', () => {
    expect(operations.map((operation) => operation.operationId).sort()).toEqual(Object.keys(routes).sort())
    for (const [name, route] of Object.entries<Route>(routes))
      expect(document.paths[route.path]?.[route.method]?.operationId).toBe(name)
  })

  test('declares every parameter of a path, and problem details for every failure', () => {
    for (const [name, route] of Object.entries<Route>(routes)) {
      const operation = document.paths[route.path]?.[route.method]
      const inPath = operation?.parameters?.filter((parameter) => parameter.in === 'path') ?? []
      expect(
        inPath.map((parameter) => `{${parameter.name}}`),
        name,
      ).toEqual(route.path.match(/\{\w+\}/g) ?? [])
      expect(Object.keys(operation?.responses.default?.content ?? {})).toEqual(['application/problem+json'])
      expect(operation?.requestBody !== undefined).toBe(route.body !== undefined || route.binary === true)
    }
  })

  test('refers only to what it defines, and defines nothing that nobody refers to', () => {
    const refs = new Set(refsIn(document))
    const defined = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    for (const ref of refs) expect(defined).toContain(ref)
    // ServerEvent is what the event stream carries, which OpenAPI cannot say.
    expect(defined.filter((name) => !refs.has(name))).toEqual(['#/components/schemas/ServerEvent'])
  })

  test('says which routes take an access key', () => {
    for (const [name, route] of Object.entries<Route>(routes)) {
      const schemes = document.paths[route.path]?.[route.method]?.security?.flatMap((each) =>
        Object.keys(each as object),
      )
      expect([name, schemes?.includes('accessKey') ?? false]).toEqual([name, route.accessKey !== undefined])
      // What it needs is named where the route looks for it.
      const { at } = route.accessKey ?? {}
      const named = route.body ?? route.query
      if (at !== undefined) expect(Object.keys((named as z.ZodObject).shape)).toContain(at)
    }
  })

  test('tells what may be left out when sent from what always is there in an answer', () => {
    const { schemas } = document.components
    expect(schemas.NewExploration?.required).toEqual(['version'])
    expect(schemas.StoredNewExploration?.required).toEqual(['version', 'fleet', 'seed'])
    expect(schemas.Project?.required).toContain('headVersion')
  })

  test('is the same every time', () => {
    expect(JSON.stringify(openApiDocument('1.2.3'))).toBe(JSON.stringify(document))
  })
})
