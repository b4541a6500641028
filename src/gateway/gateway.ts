import type { Catalog } from '../catalog/catalog.ts'
import type { Claim, KeptAnswer } from '../lib/answer.ts'
import type { Principal } from '../lib/principal.ts'
import type { Upstreams } from '../upstream/work.ts'
import type { Desk } from './bill/billable.ts'
import type { ReservationRules } from './price/reservation.ts'
import type { Turnstile } from './call-limits.ts'

/** What every paid operation works with. Built once, by the house. */
export type Gateway = {
  desk: Desk
  catalog: Catalog
  upstreams: Upstreams
  turnstile: Turnstile
  rules: ReservationRules
  voice: VoiceSettings
  /** An opaque name for the account, the same every time, sent to upstreams as `user`. */
  nameForUpstream(accountId: string): string
}

/** Settings of the voice routes. A default that is not set must be named by the caller. */
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
  signal: AbortSignal
  claim: Claim | undefined
}

/** Makes the bytes of an enveloped answer, so that they can be kept together with their price. */
export type Render = (success: {
  data: unknown
  beside?: Record<string, unknown>
  headers?: Record<string, string>
}) => KeptAnswer
