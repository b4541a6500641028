import { getHeapStatistics } from 'node:v8'
import { Failure } from '../../lib/failure.ts'

/** A call between its arrival and the last byte of its answer. */
export type RunningCall = {
  abort(reason: Failure): void
  /** How much of its body has arrived. */
  readonly arrivedBytes: number
  /** Ends the reading of its body; there while it arrives. */
  cutBody: ((failure: Failure) => void) | undefined
  /** Its index in the list of `RunningCalls`, which sets it. */
  place: number
}

/**
 * Every call in flight, so that a drain can wait for them and in the end abort them. A list, because
 * a Set was tried: V8 gives it a new table after every few changes, each old table points to the next,
 * and one old table kept all later ones alive, with their calls, until the next full collection.
 */
export class RunningCalls {
  draining = false
  readonly #calls: RunningCall[] = []
  #idle: (() => void)[] = []

  get count(): number {
    return this.#calls.length
  }

  /** A copy: calls may end while it is looked through. */
  all(): RunningCall[] {
    return [...this.#calls]
  }

  begin(call: RunningCall): void {
    call.place = this.#calls.length
    this.#calls.push(call)
  }

  /** Once for each call. The last of them takes its place. */
  end(call: RunningCall): void {
    const last = this.#calls.pop()!
    if (last !== call) {
      this.#calls[call.place] = last
      last.place = call.place
    }
    if (this.#calls.length > 0 || this.#idle.length === 0) return
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }

  whenIdle(): Promise<void> {
    if (this.#calls.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  abortAll(): void {
    const reason = new Failure(
      'unavailable',
      'The server is shutting down. Send the request again.',
      { retryAfterS: 1 },
    )
    for (const call of this.all()) call.abort(reason)
  }
}

/** Past this share of the heap's limit the process does little but collect garbage. */
const TIGHT_HEAP = 0.9
const HEAP_CHECK_MS = 250
const RETRY_AFTER_S = 2

/** Whose calls and bytes are counted together: one account's, or one address's. */
export type SharerKind = 'account' | 'address'

export type Sharer = {
  kind: SharerKind
  name: string
  calls: number
  /** Open sockets, whose calls are counted one by one. */
  sockets: number
  bytes: number
  /** Those of `bytes` that are answers. */
  unread: number
}

type Limits = {
  calls: number
  /** Of request bodies, and of answers that their readers have not taken yet. */
  bytes: number
  /** The part of both, from 0 to 1, that one sharer may have. */
  shares: Record<SharerKind, number>
  heapUsed?: () => number
}

/**
 * What one process can carry at once: calls, bytes, and its heap. Calls beyond that are asked to come
 * back, before anything is looked up or read for them; running ones go on undisturbed. Memory is
 * counted as bytes arrive, whatever was announced, and no sharer may take it all.
 */
export class Capacity {
  readonly #limits: Limits
  readonly #sharers = new Map<string, Sharer>()
  #heldBytes = 0
  #checkedMs = -Infinity
  #tight = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Throws when this call, which is counted already, is one too many. */
  admit(running: number): void {
    if (running > this.#limits.calls || this.#isTight()) throw overloaded()
  }

  /** Counts a call, or an open socket, for its sharer, until it leaves. */
  join(kind: SharerKind, name: string, as: 'calls' | 'sockets' = 'calls'): Sharer {
    const key = kind + name
    const sharer = this.#sharers.get(key) ?? newSharer(kind, name)
    if (sharer.calls + sharer.sockets === 0) this.#sharers.set(key, sharer)
    sharer[as] += 1
    return sharer
  }

  leave(sharer: Sharer, as: 'calls' | 'sockets' = 'calls'): void {
    sharer[as] -= 1
    if (sharer.calls + sharer.sockets === 0) this.#sharers.delete(sharer.kind + sharer.name)
  }

  /** The failure if the newest call of this sharer is one too many. */
  refuseCall(sharer: Sharer): Failure | undefined {
    const { calls, bytes, shares } = this.#limits
    const share = shares[sharer.kind]
    const tooMany = sharer.calls > Math.max(1, calls * share)
    return tooMany || sharer.unread > bytes * share ? moreThanItsShare(sharer) : undefined
  }

  /** The failure if there is no room for more bytes of a call that has `own` already. */
  refuseBytes(bytes: number, sharers: readonly Sharer[], own: number): Failure | undefined {
    if (this.#heldBytes + bytes > this.#limits.bytes) return overloaded()
    for (const sharer of sharers) {
      const most = this.#limits.bytes * this.#limits.shares[sharer.kind]
      // The only body of a sharer is let through, whatever share of the memory it takes.
      if (sharer.bytes > own && sharer.bytes + bytes > most) return moreThanItsShare(sharer)
    }
    return undefined
  }

  hold(bytes: number, sharers: readonly Sharer[], unread = 0): void {
    this.#heldBytes += bytes
    for (const sharer of sharers) {
      sharer.bytes += bytes
      sharer.unread += unread
    }
  }

  #isTight(): boolean {
    const now = performance.now()
    if (now - this.#checkedMs < HEAP_CHECK_MS) return this.#tight
    this.#checkedMs = now
    this.#tight = (this.#limits.heapUsed ?? usedShare)() > TIGHT_HEAP
    return this.#tight
  }
}

function newSharer(kind: SharerKind, name: string): Sharer {
  return { kind, name, calls: 0, sockets: 0, bytes: 0, unread: 0 }
}

export function overloaded(): Failure {
  return new Failure('unavailable', 'The service is overloaded. Please try again shortly.', {
    retryAfterS: RETRY_AFTER_S,
  })
}

function moreThanItsShare({ kind }: Sharer): Failure {
  const who = kind === 'account' ? 'Your account' : 'Your network address'
  const sentence = `${who} has too many requests in progress, or too large ones. Wait for some to end, then try again.`
  return new Failure('rate_limited', sentence, { retryAfterS: RETRY_AFTER_S })
}

function usedShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
