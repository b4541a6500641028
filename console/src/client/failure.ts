/** Why a request failed; pages show it with <FailureNotice>. */
export class AskFailure extends Error {
  /** 0: no answer came. */
  readonly status: number
  /** `error_code` of the API, or `offline`, `cancelled`, `unreadable`. */
  readonly kind: string
  readonly requestId: string | undefined
  /** The field that the message names, where it names one. */
  readonly param: string | undefined
  readonly retryAfterS: number | undefined
  /** Of a 402: the credits that are there, and those that are needed. */
  readonly credits: { available: number; needed: number } | undefined
  /** The request may have been carried out although no answer came (never for a GET). */
  readonly inDoubt: boolean

  constructor(facts: {
    status: number
    kind: string
    message: string
    requestId?: string | undefined
    param?: string | undefined
    retryAfterS?: number | undefined
    credits?: { available: number; needed: number } | undefined
    inDoubt?: boolean
  }) {
    super(facts.message)
    this.name = 'AskFailure'
    this.status = facts.status
    this.kind = facts.kind
    this.requestId = facts.requestId
    this.param = facts.param
    this.retryAfterS = facts.retryAfterS
    this.credits = facts.credits
    this.inDoubt = facts.inDoubt ?? false
  }
}

type ErrorBody = {
  error_code?: string
  message?: string
  request_id?: string
  available?: number
  needed?: number
  error?: {
    message?: string
    type?: string
    code?: string | null
    param?: string | null
    available?: number
    needed?: number
  }
}

/** Reads both of the API's forms of an error. */
export async function failureOf(response: Response): Promise<AskFailure> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const message = body.message ?? body.error?.message ?? ''
  const { available, needed } = { ...body, ...body.error }
  const retryAfter = Number(response.headers.get('retry-after'))
  return new AskFailure({
    status: response.status,
    kind: kindOf(body),
    message,
    requestId: response.headers.get('x-request-id') ?? body.request_id,
    // The API begins a validation message with the field's name.
    param: body.error?.param ?? /^([a-z_]+(?:[.[]\w*]?)*):? /.exec(message)?.[1],
    retryAfterS: retryAfter > 0 ? retryAfter : undefined,
    credits: available === undefined || needed === undefined ? undefined : { available, needed },
  })
}

/** A model that refused has its own reason, more precise than any sentence of ours. */
function kindOf({ error_code, error }: ErrorBody): string {
  if (error?.code === 'upstream_rejected') return error.code
  return error_code ?? error?.code ?? error?.type ?? 'server_error'
}
