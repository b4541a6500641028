import type { Principal } from '../../../accounts/principal.ts'
import type { Outflow } from '../../../lib/answer.ts'
import { Failure } from '../../../lib/failure.ts'
import type { BillJob } from '../../bill/rows.ts'
import type { ResponseCall } from '../responses.ts'
import type { EventLog } from './event-log.ts'
import type { ClaimedResponse } from './jobs-store.ts'

/** A call that nobody waits for at the other end of a connection. */
export class JobCall implements ResponseCall {
  readonly principal: Principal
  readonly requestId: string
  readonly claim = undefined
  readonly arrivedBytes: number
  readonly job: BillJob
  /** Nobody waits for it any more. */
  left = false
  /** This process stops, or has lost it: another one goes on. */
  goesOn = false
  readonly #controller = new AbortController()
  #stays: () => Promise<boolean> = async () => false
  #outflow: Outflow | undefined
  #letGo!: (text: string) => void
  readonly #wasLet = new Promise<string>((resolve) => (this.#letGo = resolve))

  constructor(claimed: ClaimedResponse) {
    this.principal = principalOf(claimed)
    this.requestId = claimed.requestId
    this.arrivedBytes = claimed.request.length
    this.job = { id: claimed.billId, goesOn: () => this.goesOn }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stay(when: () => Promise<boolean> = async () => true): void {
    this.#stays = when
  }

  abort(reason: Failure): void {
    this.#controller.abort(reason)
  }

  /** Bounded when it was accepted, and by how many run at once. */
  holdRead(): void {}

  renderError(): string {
    return ''
  }

  /** To its end; gives what it ended with, which is nothing where it was left. */
  async flow(outflow: Outflow, log: EventLog): Promise<string> {
    this.#outflow = outflow
    outflow.flow(log)
    return Promise.race([log.ended, this.#wasLet])
  }

  /** As with a caller who leaves: what the allowance does not pay for goes on. */
  async leave(): Promise<void> {
    if (this.left) return
    this.left = true
    if (this.#outflow !== undefined) {
      await this.#outflow.left()
      this.#letGo('')
    } else if (!(await this.#stays())) this.abort(CANCELLED)
  }

  handOver(): void {
    this.goesOn = true
    this.abort(new Failure('unavailable', 'Another process goes on with this response.'))
  }
}

const CANCELLED = new Failure('unavailable', 'The response was cancelled.', { code: 'caller_left' })

/** Who a session was is not kept: it only pays. */
export function principalOf({ accountId, keyId, workspaceId }: ClaimedResponse): Principal {
  if (keyId !== undefined && workspaceId !== undefined) {
    return { kind: 'key', accountId, keyId, workspaceId }
  }
  return { kind: 'jwt', accountId, sessionId: '', role: 'user' }
}
