import type { Catalog } from '../catalog/catalog.ts'
import type { Claim, KeptAnswer } from '../lib/answer.ts'
import type { Decimal } from '../lib/decimal.ts'
import type { Failure } from '../lib/failure.ts'
import type { Principal } from '../accounts/principal.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'
import type { Upstreams } from '../upstream/work.ts'
import type { Billing } from './bill/billing.ts'
import type { LeftUnpaid } from './bill/left-unpaid.ts'
import type { CallLimits } from './call-limits.ts'
import type { ReservationRules } from './price/cost-estimate.ts'

/** What every paid operation works with. Built once, by the app. */
export type Gateway = {
  billing: Billing
  catalog: Catalog
  upstreams: Upstreams
  callLimits: CallLimits
  leftUnpaid: { streams: LeftUnpaid; answers: LeftUnpaid }
  rules: ReservationRules
  /** The most that is believed of an upstream's word on a cost that the catalog cannot tell. */
  reportedCapUsd: Decimal
  voice: VoiceSettings
  /** An opaque name for the account, the same every time, sent to upstreams as `user`. */
  nameForUpstream(accountId: string): string
}

/** What a call is held, settled and released with. */
export type PaidParts = Pick<Gateway, 'billing' | 'callLimits' | 'catalog' | 'leftUnpaid'>

/** What a chat takes, and whatever is asked as one. */
export type ChatParts = Omit<Gateway, 'reportedCapUsd' | 'voice'>

/** Settings of the voice routes. Where no default is set, the caller must name one. */
export type VoiceSettings = {
  sttModel?: string | undefined
  textModel?: string | undefined
  ttsModel?: string | undefined
  voice?: string | undefined
  /** Held where no price can be computed. */
  nominalMicro: bigint
}

/** One request as the gateway sees it. */
export type GatewayCall = {
  principal: Principal
  requestId: string
  signal: CallSignal
  /** From now on a caller who leaves does not abort the call, or not when `when` says so then. */
  stay(when?: () => boolean): void
  /** Ends the work for the call. */
  abort(reason: Failure): void
  claim: Claim | undefined
  /** The JSON text of an error in the route's dialect, for a failure inside a stream. */
  renderError(error: unknown): string
}

/** Makes the bytes of an enveloped answer, so that they can be kept together with their price. */
export type Render = (success: {
  data: unknown
  beside?: Record<string, unknown>
  headers?: Record<string, string>
}) => KeptAnswer
