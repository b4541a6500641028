import type { Catalog } from '../catalog/catalog.ts'
import type { Claim, StorableAnswer } from '../lib/answer.ts'
import type { Decimal } from '../lib/decimal.ts'
import type { Failure } from '../lib/failure.ts'
import type { Principal } from '../accounts/principal.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'
import type { Upstreams } from '../upstream/work.ts'
import type { Allowance } from './bill/allowance.ts'
import type { Billing } from './bill/billing.ts'
import type { BillJob } from './bill/rows.ts'
import type { CallLimits } from './call-limits.ts'
import type { ReservationRules } from './price/cost-estimate.ts'

/** Everything that paid operations use. Built once, by the app. */
export type Gateway = {
  billing: Billing
  catalog: Catalog
  upstreams: Upstreams
  callLimits: CallLimits
  allowance: Allowance
  rules: ReservationRules
  /** The highest reported cost that is accepted where the catalog has no price. */
  reportedCapUsd: Decimal
  voice: VoiceSettings
  /**
   * An opaque, stable name of the account, sent to upstreams as `user`; with `own`, of what the
   * account calls so.
   */
  nameForUpstream(accountId: string, own?: string): string
}

/** What holding, settling and releasing a call takes. */
export type PaidParts = Pick<Gateway, 'billing' | 'callLimits' | 'catalog' | 'allowance'>

/** What a chat takes. */
export type ChatParts = Omit<Gateway, 'reportedCapUsd' | 'voice'>

/** Without a default the caller must name a model. */
export type VoiceSettings = {
  sttModel?: string | undefined
  textModel?: string | undefined
  ttsModel?: string | undefined
  voice?: string | undefined
  /** Of recordings and of spoken answers: ISO 639-1. */
  language: string
  /** Held where no price can be computed. */
  nominalMicro: bigint
}

/** Request headers by their lower-case names. */
export type SentHeaders = Record<string, string | string[] | undefined>

/** One request as the gateway sees it. */
export type GatewayCall = {
  principal: Principal
  requestId: string
  headers?: SentHeaders
  signal: CallSignal
  /**
   * From now on a caller who leaves does not abort the call; with `when`, only if it then gives
   * true.
   */
  stay(when?: () => Promise<boolean>): void
  abort(reason: Failure): void
  claim: Claim | undefined
  /** The job that it is done for. */
  job?: BillJob | undefined
  /** A failure inside a stream, as JSON of the route's dialect. */
  renderError(error: unknown): string
}

/** Renders an enveloped answer, so that it can be stored with its charge. */
export type Render = (success: {
  data: unknown
  beside?: Record<string, unknown>
  headers?: Record<string, string>
}) => StorableAnswer
