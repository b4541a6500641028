import { z } from 'zod'
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { planOf, type Route } from '../route.ts'

/** `/v1/workspaces/:slug` → `/v1/workspaces/{slug}`; a wildcard is an id that may contain slashes. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{id}')
}

type Parameters = NonNullable<ZodOpenApiOperationObject['parameters']>

/** The headers that a caller may send; credentials are described apart. */
export function headerParameters({ replay, honours }: Route): Parameters {
  return [
    ...(replay === undefined || replay === false ? [] : [HEADERS.key]),
    ...(honours === undefined ? [] : [HEADERS[honours]]),
  ]
}

export function requestParamsOf({ path, params, query }: Route) {
  const known: Record<string, z.ZodType> = params instanceof z.ZodObject ? params.shape : {}
  const names = [...openApiPath(path).matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
  const inPath = names.map((name) => [name, known[name] ?? z.string()])
  return {
    path: z.object(Object.fromEntries(inPath)),
    ...(query === undefined ? {} : { query: query as z.ZodObject }),
  }
}

const HEADERS = {
  key: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A retry with the same key within 24 hours gets the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  etag: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer. While nothing has changed, the answer is 304.',
    schema: { type: 'string' },
  },
  range: {
    name: 'Range',
    in: 'header',
    description: 'One range of bytes, such as `bytes=0-999`. Answered with 206 where it can be.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Parameters[number]>

export function requestBodyOf(route: Route): ZodOpenApiOperationObject['requestBody'] {
  const { bodyKind } = planOf(route)
  if (bodyKind === 'none') return undefined
  const { body = z.unknown() } = route
  const content: Record<string, { schema: z.ZodType }> = { 'application/json': { schema: body } }
  if (bodyKind === 'json-or-multipart') {
    content['multipart/form-data'] = { schema: formOf(body) }
  }
  return { required: !body.safeParse(undefined).success, content }
}

/** The same fields as in JSON, and the file in place of the member that holds it as base64. */
function formOf(body: z.ZodType): z.ZodType {
  const shape: Record<string, z.ZodType> = body instanceof z.ZodObject ? body.shape : {}
  const plain = Object.entries(shape).filter(([, field]) => !(field instanceof z.ZodObject))
  return z.object({
    ...Object.fromEntries(plain),
    file: z.unknown().meta({ override: { type: 'string', format: 'binary' } }),
  })
}
