import type { z } from 'zod'
import type { Answer, Claim, StorableAnswer } from '../lib/answer.ts'
import type { Failure, FailureKind } from '../lib/failure.ts'
import type { Form } from '../lib/form.ts'
import type {
  KeyPrincipal,
  OperatorNeed,
  OperatorPrincipal,
  Principal,
  SessionPrincipal,
} from '../accounts/principal.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'

/** `operator`: an access token of an operator. For everybody else there is nothing at the address. */
export type Credential = 'none' | 'jwt' | 'key' | 'either' | 'operator'

/** Who the caller of a handler is: the server refuses everybody else. */
type PrincipalOf<C extends Credential> = {
  none: undefined
  jwt: SessionPrincipal
  key: KeyPrincipal
  either: Principal
  operator: OperatorPrincipal
}[C]

/**
 * How failures are written: `envelope`, `compatible` (what OpenAI's clients read), `both`, the
 * envelope with the compatible object beside it, or `messages` (what Anthropic's clients read).
 * Answers of `envelope` and `both` are enveloped.
 */
export type Dialect = 'envelope' | 'compatible' | 'both' | 'messages'

/**
 * How a route's body is read; `json` when a body schema is given, else `none`. `raw` gives the bytes
 * untouched, for signatures over them. With `json-or-multipart` the schema judges JSON bodies; for a
 * multipart one `body` is undefined and `form` is there instead.
 */
type BodyKind = 'none' | 'json' | 'json-or-multipart' | 'raw'

/**
 * Which limit a call is counted against. `none` is for liveness, documents and callbacks; `auth`
 * counts an address's calls, `sign_in` its failures, because a mobile network is one address.
 */
type LimitBucket = 'none' | 'auth' | 'sign_in' | 'principal'

export type RouteSpec<Body, Query, Params, C extends Credential = Credential> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters as in `/v1/workspaces/:slug`; `*` at the end stands for the rest. */
  path: string
  /** What it does, in a line. */
  summary: string
  /** For the OpenAPI document: what a caller should know besides, in a sentence or two. */
  description?: string
  tag: string
  credential: C
  /** With `credential: 'operator'`, and only there. */
  operator?: OperatorNeed
  dialect: Dialect
  limit: LimitBucket
  /** With `limit: 'principal'`: so many calls a minute, counted for this route alone. */
  perMinute?: number
  /** With `limit: 'sign_in'`: what a call is counted by instead of its address, if it names it. */
  limitedBy?(headers: Record<string, string | string[] | undefined>): string | undefined
  /** Work that costs credits: a model may fail it, and strings pass to the model as they are. */
  paid?: boolean
  /** Honours `Idempotency-Key`. May depend on the body: a stream is never replayed. */
  replay?: boolean | ((body: Body) => boolean)
  bodyKind?: BodyKind
  /** Default 5,000,000. A larger Content-Length is refused on the header alone. */
  bodyLimitBytes?: number
  /** The cap of a multipart body, which carries its file without base64. Default: the same. */
  multipartLimitBytes?: number
  /** The file that the body carries: a body that is too large is refused with 400 and its limit. */
  fileLimit?: { field: string; mib: number }
  body?: z.ZodType<Body>
  query?: z.ZodType<Query>
  /** Parameters that do not fit are answered with 404, like a resource that does not exist. */
  params?: z.ZodType<Params>
  /** For the OpenAPI document: the shape of `data` (envelope), of the whole answer, or of its text. */
  response?: z.ZodType
  /** For the OpenAPI document: the members of an envelope beside `data`. */
  beside?: z.ZodRawShape
  /** For the OpenAPI document: a good answer is the response itself, though failures are enveloped. */
  bare?: boolean
  /** For the OpenAPI document: the data of each event, where the answer can be streamed. */
  events?: z.ZodType
  /** For the OpenAPI document: the media types of a good answer that is not JSON. */
  answerType?: string | readonly string[]
  /** For the OpenAPI document: `If-None-Match` is honoured, a part of the bytes may be asked for. */
  honours?: 'etag' | 'range'
  /** For the OpenAPI document: what only its handler refuses. The rest follows from what is above. */
  refuses?: readonly FailureKind[]
  /** It only ever refuses: clients have no use for it, and the OpenAPI document leaves it out. */
  refusesAll?: boolean
  successStatus?: number
  /** A WebSocket may be opened here. Each of its messages is a call of the route that this makes. */
  socket?(connection: SocketPeer): Route
  handle(call: Call<Body, Query, Params, C>): Promise<Result>
}

/** What the calls of one socket share. */
export type SocketPeer = {
  /** Treats a call, by its request id, as if its caller had left. */
  leave(requestId: string): void
  /** Counts memory until the connection ends; false where there is none. Less than 0 gives back. */
  hold(bytes: number): boolean
}

/** What a handler sees. Its functions belong to it: call them on it, do not take them apart. */
export type Call<Body, Query, Params, C extends Credential = Credential> = {
  requestId: string
  principal: PrincipalOf<C>
  body: Body
  query: Query
  params: Params
  headers: Record<string, string | string[] | undefined>
  /** The caller's address; behind TRUST_PROXY the forwarded one. */
  address: string
  /** Aborts when the caller leaves or the drain runs out. */
  signal: CallSignal
  /** From now on a caller who leaves does not abort the call; with `when`, only if it then gives true. */
  stay(when?: () => Promise<boolean>): void
  /** Ends the work for the call. */
  abort(reason: Failure): void
  /** How much of the body has arrived. */
  readonly arrivedBytes: number
  /**
   * Counts memory for what is read for the call beside its body, until it ends. Throws where there is
   * no room for it.
   */
  holdRead(bytes: number): void
  /** Present when the request bears an idempotency key and this call won the claim. */
  claim: Claim | undefined
  /** Renders a success as the bytes that will be sent, so that they can be stored for a retry. */
  render(success: Success): StorableAnswer
  /** The JSON text of an error, for an answer that has begun and can only report it inside. */
  renderError(error: unknown): string
  /** Reads a multipart body. Only with bodyKind `json-or-multipart`. */
  form: (() => Promise<Form>) | undefined
}

/**
 * Enveloped: `{status, code, data, request_id}`, with the members of `beside` before `data` and those
 * of `after` behind it. `dataJson` is data that is JSON text already.
 */
export type Success = {
  status?: number | undefined
  headers?: Record<string, string> | undefined
  beside?: Record<string, unknown> | undefined
  after?: Record<string, unknown> | undefined
} & ({ data: unknown } | { dataJson: string })

/**
 * A `Success` is rendered in the route's dialect; an `Answer` goes out as it is. `stored: true` says
 * that it was stored for its claim together with the money, so the server must not store it again.
 */
export type Result = Success | (Answer & { stored?: true })

/** A route whose types have been checked where it was defined, ready for the one list. */
export type Route = RouteSpec<unknown, unknown, unknown>

export function route<
  Body = undefined,
  Query = undefined,
  Params = undefined,
  C extends Credential = Credential,
>(spec: RouteSpec<Body, Query, Params, C>): Route {
  return spec as unknown as Route
}

/** A route with everything that can be known before the first request. */
export type RoutePlan = {
  route: Route
  /** `POST /v1/videos`: the scope of an idempotency key, and the log's name for the route. */
  name: string
  bodyKind: BodyKind
  limitBytes: number
  multipartLimitBytes: number
  successStatus: number
  /** The input may be stored in a table. The strings of paid work only pass to an upstream. */
  stored: boolean
  /** Liveness and documents cost little, and are never refused for want of room. */
  isLight: boolean
  /** The area of operators, which may have a host of its own. */
  isOperators: boolean
  /** Clients of a dialect that is not ours read how much of their limit is left. */
  sendsLimits: boolean
}

const DEFAULT_LIMIT_BYTES = 5_000_000

export function planOf(route: Route): RoutePlan {
  const limitBytes = route.bodyLimitBytes ?? DEFAULT_LIMIT_BYTES
  const bodyKind = route.bodyKind ?? (route.body === undefined ? 'none' : 'json')
  return {
    route,
    name: `${route.method} ${route.path}`,
    bodyKind,
    limitBytes,
    multipartLimitBytes: route.multipartLimitBytes ?? limitBytes,
    successStatus: route.successStatus ?? 200,
    stored: route.paid !== true,
    isOperators: /^(\/v1)?\/operator(\/|$)/.test(route.path),
    isLight: route.limit === 'none' && bodyKind === 'none',
    sendsLimits:
      route.dialect !== 'envelope' && route.limit === 'principal' && route.credential !== 'none',
  }
}

/** The plan of a request that has no route: only its dialect is used, and who might have called it. */
export function unlistedPlan(dialect: Dialect, credential: Credential): RoutePlan {
  return planOf(
    route({
      method: 'GET',
      path: '',
      summary: '',
      tag: '',
      credential,
      limit: 'none',
      dialect,
      handle: async () => ({ data: {} }),
    }),
  )
}
