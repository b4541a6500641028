import type { z } from 'zod'
import type { Answer, Claim, KeptAnswer } from '../lib/answer.ts'
import type { Principal } from '../lib/principal.ts'

export type Credential = 'none' | 'jwt' | 'key' | 'either'

/**
 * How failures are told: `envelope`, `compatible` (what OpenAI's clients read), or `both`, the
 * envelope with the compatible object beside it. Answers of `envelope` and `both` are enveloped.
 */
export type Dialect = 'envelope' | 'compatible' | 'both'

/**
 * How a route's body is read; `json` when a body schema is given, else `none`. `raw` gives the bytes
 * untouched, for signatures over them. With `json-or-multipart` the schema judges JSON bodies; for a
 * multipart one `body` is undefined and `multipart` is there instead.
 */
export type BodyKind = 'none' | 'json' | 'json-or-multipart' | 'raw'

/** Which limit a call is counted against. `none` is for liveness, documents and callbacks. */
type LimitBucket = 'none' | 'auth' | 'principal'

export type RouteSpec<Body, Query, Params> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Fastify's syntax: `/v1/workspaces/:slug`. */
  path: string
  summary: string
  tag: string
  credential: Credential
  dialect: Dialect
  limit: LimitBucket
  /** Honours `Idempotency-Key`. May depend on the body: a stream is never replayed. */
  replay?: boolean | ((body: Body) => boolean)
  bodyKind?: BodyKind
  /** Default 5,000,000. A larger Content-Length is refused on the header alone. */
  bodyLimitBytes?: number
  /** The cap of a multipart body, which carries its file without base64. Default: the same. */
  multipartLimitBytes?: number
  body?: z.ZodType<Body>
  query?: z.ZodType<Query>
  /** Parameters that do not fit name nothing: the answer is 404, as for any absent resource. */
  params?: z.ZodType<Params>
  /** For the OpenAPI document: the shape of `data` (envelope) or of the whole answer. */
  response?: z.ZodType
  /** For the OpenAPI document: the media type of a good answer that is not JSON. */
  answerType?: string
  successStatus?: number
  handle(call: Call<Body, Query, Params>): Promise<Result>
}

/** What a handler sees. */
export type Call<Body, Query, Params> = {
  requestId: string
  principal: Principal | undefined
  body: Body
  query: Query
  params: Params
  headers: Record<string, string | string[] | undefined>
  /** The caller's address; behind TRUST_PROXY the forwarded one. */
  address: string
  /** Aborts when the caller leaves or the drain runs out. */
  signal: AbortSignal
  /** Present when the request bears an idempotency key and this call won the claim. */
  claim: Claim | undefined
  /** Renders a success as the bytes that will be sent, so that they can be kept for a replay. */
  render(success: Success): KeptAnswer
  /** Parts of a multipart body, read as they come. Only with bodyKind `json-or-multipart`. */
  multipart: (() => AsyncIterable<MultipartPart>) | undefined
}

export type MultipartPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; filename: string; mimetype: string; bytes: Buffer }

/** Enveloped: `{status, code, data, request_id}` and the siblings named in `beside`. */
export type Success = {
  status?: number
  data: unknown
  beside?: Record<string, unknown>
  headers?: Record<string, string>
}

/**
 * A `Success` is rendered in the route's dialect; an `Answer` goes out as it is. `kept: true` says
 * that it was stored for its claim together with the money, so the hallway must not store it again.
 */
export type Result = Success | (Answer & { kept?: true })

/** A route whose types have been checked where it was defined, ready for the one list. */
export type Route = RouteSpec<unknown, unknown, unknown>

export function route<Body = undefined, Query = undefined, Params = undefined>(
  spec: RouteSpec<Body, Query, Params>,
): Route {
  return spec as unknown as Route
}
