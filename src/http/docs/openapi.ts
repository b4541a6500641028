import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { failureAnswers } from './openapi-errors.ts'
import { planOf, type Route } from '../route.ts'

/** As much of the document as is read here; it is plain JSON. */
export type OpenApi = {
  info: { title: string; version: string; description?: string }
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
export type Operation = {
  summary: string
  tags: string[]
  security: Record<string, unknown>[]
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>
}
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
}

/** The OpenAPI 3.1 document of a list of routes: the schemas that judge requests also describe them. */
export async function openApiDocument(
  routes: Route[],
  publicUrl: string | undefined,
): Promise<OpenApi> {
  // Imported on demand: only whoever reads the document pays for the library.
  const { createDocument } = await import('zod-openapi')
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Mlango',
        version: '1.4.0',
        description: 'One key to many AI models, paid for with prepaid credit.',
      },
      ...(publicUrl === undefined ? {} : { servers: [{ url: publicUrl }] }),
      components: { securitySchemes: SECURITY_SCHEMES },
      paths: pathsOf(routes),
    },
    { allowEmptySchema: { custom: true, transform: true, date: true, bigint: true } },
  )
  return document as unknown as OpenApi
}

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `mlg_…`. Clients that send it in `X-Api-Key` may do so.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token, which you get when you sign in',
  },
} as const

const SECURITY: Record<Route['credential'], Record<string, string[]>[]> = {
  none: [],
  jwt: [{ accessToken: [] }],
  key: [{ apiKey: [] }],
  either: [{ apiKey: [] }, { accessToken: [] }],
  operator: [{ accessToken: [] }],
}

function pathsOf(routes: Route[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const route of routes) {
    const path = openApiPath(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

/** `/v1/workspaces/:slug` → `/v1/workspaces/{slug}`; a wildcard is an id that may contain slashes. */
function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{id}')
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const body = requestBodyOf(route)
  return {
    operationId: `${route.method.toLowerCase()}${openApiPath(route.path).replaceAll(/\W+/g, '_')}`,
    summary: route.summary,
    tags: [route.tag],
    security: SECURITY[route.credential],
    parameters: parametersOf(route),
    ...(route.query === undefined ? {} : { requestParams: { query: route.query as z.ZodObject } }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...goodAnswer(route), ...failureAnswers(route) },
  }
}

function parametersOf(route: Route): NonNullable<ZodOpenApiOperationObject['parameters']> {
  const names = [...openApiPath(route.path).matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const inPath = names.map((name) => ({
    name,
    in: 'path' as const,
    required: true,
    schema: { type: 'string' as const },
  }))
  if (route.replay === undefined || route.replay === false) return inPath
  const key = { type: 'string' as const, minLength: 1, maxLength: 255 }
  const description = 'A retry with the same key within 24 hours gets the first response again.'
  return [...inPath, { name: 'Idempotency-Key', in: 'header', description, schema: key }]
}

function requestBodyOf(route: Route): ZodOpenApiOperationObject['requestBody'] {
  const { bodyKind } = planOf(route)
  if (bodyKind === 'none') return undefined
  const schema = route.body ?? z.unknown()
  const content: Record<string, { schema: z.ZodType }> = {}
  if (bodyKind === 'raw') content['application/json'] = { schema: z.unknown() }
  else content['application/json'] = { schema }
  if (bodyKind === 'json-or-multipart') {
    content['multipart/form-data'] = {
      schema: z.looseObject({ file: z.unknown().meta({ type: 'string', format: 'binary' }) }),
    }
  }
  return { content }
}

function goodAnswer(route: Route): ZodOpenApiOperationObject['responses'] {
  const { successStatus } = planOf(route)
  const status = String(successStatus) as '200'
  const headers = z.object({ 'X-Request-Id': z.string() })
  if (route.answerType !== undefined) {
    const schema = { type: 'string' as const, format: 'binary' }
    return {
      [status]: { description: 'Success', headers, content: { [route.answerType]: { schema } } },
    }
  }
  const schema = successSchema(route, successStatus)
  return {
    [status]: { description: 'Success', headers, content: { 'application/json': { schema } } },
  }
}

function successSchema(route: Route, status: number): z.ZodType {
  const data = route.response ?? z.unknown()
  if (route.dialect === 'compatible' || route.dialect === 'messages') return data
  return z.object({
    status: z.literal('success'),
    code: z.literal(status),
    data,
    ...(data instanceof z.ZodArray && route.dialect === 'envelope' ? { pagination } : {}),
    request_id: z.string(),
  })
}

const pagination = z
  .object({ limit: z.int(), offset: z.int(), total: z.int(), has_more: z.boolean() })
  .meta({ id: 'Pagination' })
  .optional()
