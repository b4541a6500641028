import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { Route } from '../route.ts'
import { goodAnswers } from './openapi-answers.ts'
import type { OpenApi } from './openapi-document.ts'
import { addExamples } from './openapi-examples.ts'
import { failureAnswers } from './openapi-errors.ts'
import { headerComponents } from './openapi-headers.ts'
import {
  headerParameters,
  openApiPath,
  requestBodyOf,
  requestParamsOf,
} from './openapi-requests.ts'

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
        license: { name: 'All rights reserved', identifier: 'LicenseRef-All-rights-reserved' },
      },
      // Without a public address: wherever the document was read.
      servers: [{ url: publicUrl ?? '/' }],
      components: { securitySchemes: SECURITY_SCHEMES, headers: headerComponents() },
      paths: pathsOf(routes.filter((route) => route.refusesAll !== true)),
    },
    {
      allowEmptySchema: { custom: true, transform: true, date: true, bigint: true },
      override: ({ jsonSchema, io }) => {
        // An answer may get more members: a client that is strict about them would break.
        if (io === 'output' && jsonSchema.additionalProperties === false) {
          delete jsonSchema.additionalProperties
        }
        // What a whole number is anyway.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      },
    },
  )
  const made = document as unknown as OpenApi
  addExamples(made)
  return made
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

function operationOf(route: Route): ZodOpenApiOperationObject {
  const body = requestBodyOf(route)
  return {
    operationId: `${route.method.toLowerCase()}${openApiPath(route.path)}`
      .replaceAll(/\W+/g, '_')
      .replace(/_$/, ''),
    summary: route.summary,
    description: route.description ?? route.summary,
    tags: [route.tag],
    security: SECURITY[route.credential],
    requestParams: requestParamsOf(route),
    parameters: headerParameters(route),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...goodAnswers(route), ...failureAnswers(route) },
  }
}
