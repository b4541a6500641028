import type { Readable } from 'node:stream'

/** The content type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** What goes back over the wire. Bytes stay bytes, streams stay streams. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Buffer | Readable | Outflow
}

/**
 * A body that is written piece by piece, at the reader's pace. Lighter than a stream, since it goes
 * straight to the wire.
 */
export type Outflow = {
  /** Called once, when the head is on its way. */
  flow(sink: Sink): void
  /**
   * The reader is gone, before or after it began to flow. Nothing after its end. Resolves when all
   * that is to be done for the call is done.
   */
  left(): Promise<void>
}

/**
 * Where an outflow goes. What is written after the reader has gone is lost; one who takes nothing
 * for a minute is taken for gone.
 */
export type Sink = {
  /** False when there is no room for more: then wait for it. */
  write(text: string): boolean
  /** Resolves when there is room again, or the reader is gone. */
  room(): Promise<void>
  /** The last of it. */
  end(text: string): void
}

/** An answer that can be stored and sent again: never a stream. */
export type StorableAnswer = Answer & { body: string | Buffer }

/** The right to answer one idempotency key. Held by one running request. */
export type Claim = { id: string; accountId: string; key: string }

/** What became of an attempt to claim an idempotency key. */
export type ClaimOutcome =
  | { state: 'claimed'; claim: Claim }
  | { state: 'running' }
  /** The stored answers of the account fill its space. The oldest expires in so many seconds. */
  | { state: 'over_budget'; retryAfterS: number }
  | Finished

export type Finished = { state: 'other_route' } | { state: 'stored'; answer: Answer }

/** A large body that is in the database already, under its claim: the commit only has to name it. */
export type EarlyBody = { body: string | Buffer; bytes: number }

/**
 * Handed to a paid operation whose request bears an idempotency key: the operation stores
 * `answer(result)` for the claim in the very transaction that settles its money.
 */
export type Keep<Result> = { claim: Claim; answer: (result: Result) => StorableAnswer }
