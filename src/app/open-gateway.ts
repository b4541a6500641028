import type { Catalog } from '../catalog/catalog.ts'
import { Allowance } from '../gateway/bill/allowance.ts'
import { openBilling, type Billing } from '../gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../gateway/bill/doubtful-charges.ts'
import { UnpaidWatch } from '../gateway/bill/unpaid-watch.ts'
import { upstreamNames } from '../gateway/billed-call.ts'
import { createCallLimits } from '../gateway/call-limits.ts'
import { tryModel, type ModelTrial } from '../gateway/chat/try-model.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { creditsNumber, parseCredits } from '../ledger/money.ts'
import { decimal } from '../lib/decimal.ts'
import { deriveKey, type KeyList } from '../lib/secrets.ts'
import { tellAllowanceUsed } from '../notices/allowance-used.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import type { Upstreams } from '../upstream/work.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import type { AppInputs } from './inputs.ts'
import { voiceSettings } from './voice-settings.ts'

type GatewayRooms = {
  processId: string
  catalog: Catalog
  upstreams: Upstreams
  balanceWatch: BalanceWatch
}

/** Paid work, and what each kind of it needs besides. */
export async function openGatewayRoom(inputs: AppInputs, rooms: GatewayRooms) {
  const { config, db, log } = inputs
  const doubtfulCharges = openDoubtfulCharges({ db, log, dataDir: config.DATA_DIR })
  const unpaidWatch = openUnpaidWatch(inputs)
  const allowance = openAllowance(inputs, unpaidWatch)
  const billing = openAppBilling(inputs, {
    ...rooms,
    doubtfulCharges,
    guessAllowance: (accountId) => allowance.forGuess(accountId),
  })
  const gateway: Gateway = {
    billing,
    catalog: rooms.catalog,
    upstreams: rooms.upstreams,
    callLimits: createCallLimits({ perAccount: config.CONCURRENCY_PER_ACCOUNT }),
    allowance,
    rules: {
      capMicro: parseCredits(config.RESERVATION_CAP_CREDITS),
      minMicro: parseCredits(config.MIN_RESERVATION_CREDITS),
    },
    reportedCapUsd: decimal(config.REPORTED_COST_CAP_USD),
    voice: voiceSettings(config, inputs.providers.simulated.upstreams),
    nameForUpstream: upstreamNames(deriveKey(inputs.masterKey, 'upstream-user')),
  }
  return {
    gateway,
    unpaidWatch,
    responses: { gateway, db, storedDays: config.RESPONSE_DAYS, keys: compactionKeys(inputs) },
    videos: { gateway, db, deadlineS: config.VIDEO_DEADLINE_MINUTES * 60 },
    askModel: (trial: ModelTrial) => tryModel(gateway, trial),
  }
}

/** The one before opens what it sealed, while MASTER_KEY is being changed. */
function compactionKeys({ masterKey, config }: AppInputs): KeyList {
  const previous = config.MASTER_KEY_PREVIOUS
  const before = previous === undefined ? [] : [deriveKey(previous, 'compactions')]
  return [deriveKey(masterKey, 'compactions'), ...before]
}

function openAllowance({ db, log, clock, config }: AppInputs, watch: UnpaidWatch): Allowance {
  return new Allowance({
    db,
    log,
    clock,
    freeMicro: parseCredits(config.UNPAID_CREDITS),
    timeZone: config.ACTIVITY_TIME_ZONE,
    tightened: (accountId) => watch.tightened(accountId),
    tellOwner({ accountId, model, unpaidMicro, limitMicro }) {
      const unpaid_credits = creditsNumber(unpaidMicro)
      const data = { model, unpaid_credits, allowance_credits: creditsNumber(limitMicro) }
      return tellAllowanceUsed(db, { accountId, at: clock.now(), data })
    },
  })
}

function openUnpaidWatch({ db, log, clock, config }: AppInputs): UnpaidWatch {
  return new UnpaidWatch({
    db,
    clock,
    limitMicro: parseCredits(config.UNPAID_DAILY_CREDITS),
    async tellOperator(tx, { day, unpaidMicro, limitMicro }) {
      log.warn('Accounts that never paid have left too much unpaid today: they have no allowance.')
      const unpaid_credits = creditsNumber(unpaidMicro)
      const data = { day, unpaid_credits, limit_credits: creditsNumber(limitMicro) }
      await tellWebhooks(tx, { type: 'unpaid.limit', data })
    },
  })
}

function openAppBilling(
  { config, db, log, clock, meter }: AppInputs,
  rooms: Pick<GatewayRooms, 'processId' | 'balanceWatch'> &
    Pick<Billing, 'doubtfulCharges' | 'guessAllowance'>,
): Billing {
  return openBilling({
    db,
    log,
    clock,
    meter,
    processId: rooms.processId,
    doubtfulCharges: rooms.doubtfulCharges,
    guessAllowance: rooms.guessAllowance,
    timeZone: config.ACTIVITY_TIME_ZONE,
    noteBalances: rooms.balanceWatch.noteBalances,
    isNews: rooms.balanceWatch.isNews,
    unconfirmedCapMicro: parseCredits(config.RESERVATION_CAP_CREDITS),
  })
}
