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
  /** The request may have been carried out although no answer came (never for a GET). */
  readonly inDoubt: boolean

  constructor(facts: {
    status: number
    kind: string
    message: string
    requestId?: string | undefined
    param?: string | undefined
    retryAfterS?: number | undefined
    inDoubt?: boolean
  }) {
    super(facts.message)
    this.name = 'AskFailure'
    this.status = facts.status
    this.kind = facts.kind
    this.requestId = facts.requestId
    this.param = facts.param
    this.retryAfterS = facts.retryAfterS
    this.inDoubt = facts.inDoubt ?? false
  }
}

type ErrorBody = {
  error_code?: string
  message?: string
  request_id?: string
  error?: { message?: string; type?: string; code?: string | null; param?: string | null }
}

/** Reads both of the API's forms of an error. */
export async function failureOf(response: Response): Promise<AskFailure> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const message = body.message ?? body.error?.message ?? ''
  const retryAfter = Number(response.headers.get('retry-after'))
  return new AskFailure({
    status: response.status,
    kind: body.error_code ?? body.error?.code ?? body.error?.type ?? 'server_error',
    message,
    requestId: response.headers.get('x-request-id') ?? body.request_id,
    // The API begins a validation message with the field's name.
    param: body.error?.param ?? /^([a-z_]+(?:[.[]\w*]?)*):? /.exec(message)?.[1],
    retryAfterS: retryAfter > 0 ? retryAfter : undefined,
  })
}
