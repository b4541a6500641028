import type { Readable } from 'node:stream'

/** What goes back over the wire. Bytes stay bytes, streams stay streams. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable
}

/** An answer that can be kept and sent again: never a stream. */
export type KeptAnswer = Answer & { body: string | Buffer }

/** The right to answer one idempotency key. Held by one running request. */
export type Claim = { id: string; accountId: string; key: string }

/**
 * Handed to a paid operation whose request bears an idempotency key: the operation stores
 * `answer(result)` for the claim in the very transaction that settles its money.
 */
export type Keep<Result> = { claim: Claim; answer: (result: Result) => KeptAnswer }
