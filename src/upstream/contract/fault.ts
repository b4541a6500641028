/** Everything that can go wrong between us and an upstream: a closed list. */
export type FaultKind =
  | 'refused' // no connection: refused, no such host, TLS
  | 'timeout'
  | 'reset' // the connection broke
  | 'garbage' // an answer that is no answer of this format
  | 'too_large'
  | 'redirect'
  | 'status' // an error status, or an error told inside a 200
  | 'aborted' // our side left

/** Private: for the log and for routing. It carries no URL and no key, and is never shown. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** `connect`, `first_byte`, `idle`, `total` of a time-out; else a short word of ours. */
  readonly at: string
  constructor(kind: FaultKind, at: string) {
    super(`${kind}: ${at}`)
    this.name = 'Fault'
    this.kind = kind
    this.at = at
  }
}

/** `body` is what the upstream said, parsed when it was JSON. It is foreign text: never shown. */
export class StatusFault extends Fault {
  readonly status: number
  readonly body: unknown
  /** Whole seconds, already brought into 1 to 3600. */
  readonly retryAfterS: number | undefined
  constructor(status: number, body?: unknown, retryAfterS?: number) {
    super('status', String(status))
    this.status = status
    this.body = body
    this.retryAfterS = retryAfterS
  }
}

/** What a fault means to the caller and to the operator. */
export type Trouble =
  | { kind: 'rejected'; why: RejectedWhy } // the caller's request; no other upstream is tried
  | { kind: 'missing' } // this upstream does not know the model or the thing
  | { kind: 'account'; why: AccountWhy } // our key or our money there
  | { kind: 'rate_limited'; retryAfterS: number | undefined }
  | { kind: 'overloaded'; retryAfterS: number | undefined }
  | { kind: 'oversized' } // the answer is larger than the caller may have
  | { kind: 'failed' }
  | { kind: 'aborted' }

export type RejectedWhy =
  | 'request'
  | 'context_length'
  | 'content_policy'
  | 'image'
  | 'payload'
  | 'gone'
export type AccountWhy = 'key_refused' | 'out_of_money' | 'forbidden'
