import type { Accounts } from '../../accounts/accounts.ts'
import { accountActs, resendCodeAct } from '../../operators/account-actions.ts'
import { adjustAct } from '../../operators/adjust.ts'
import { approvalAct, modalityAct, modelAct } from '../../operators/catalog-actions.ts'
import type { WebhookAdminContext } from '../../operators/webhook-actions.ts'
import { parseCredits } from '../../ledger/money.ts'
import type { SyncParts } from '../../catalog/sync.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/db.ts'
import type { Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { decimal } from '../../lib/decimal.ts'
import type { Payments } from '../../payments/payments.ts'
import type { Upstreams } from '../../upstream/work.ts'
import { accountActionRoutes } from './account-actions.ts'
import { accountListRoutes } from './account-lists.ts'
import { accountRoutes } from './accounts.ts'
import { attentionRoute } from './attention.ts'
import { auditRoutes } from './audits.ts'
import { priceRoutes } from './catalog.ts'
import { exportRoutes } from './exports.ts'
import { modelControlRoutes } from './models.ts'
import { operatorRoutes } from './operators.ts'
import { fxRoutes } from './fx.ts'
import { overviewRoutes } from './overview.ts'
import { outboxRoutes } from './outbox.ts'
import { reviewRoutes } from './payments.ts'
import { refusalsRoute } from './refusals.ts'
import { requestRoutes } from './requests.ts'
import { tryModelRoute, type AskModel } from './try-model.ts'
import { upstreamRoutes } from './upstreams.ts'
import { webhookDeliveryRoutes } from './webhook-deliveries.ts'
import { webhookRoutes } from './webhooks.ts'

export type OperatorDeps = {
  config: Config
  db: Db
  clock: Clock
  accounts: Accounts
  payments: Payments
  upstreams: Upstreams
  catalogSync: SyncParts
  askModel: AskModel
  webhookAdmin: WebhookAdminContext
}

/** Everything under /v1/operator. Callers who are no operators get a 404. */
export function allOperatorRoutes(deps: OperatorDeps): Route[] {
  const { config, db, clock, payments, upstreams, catalogSync, askModel } = deps
  const timeZone = config.ACTIVITY_TIME_ZONE
  const money = {
    creditsPerTzs: decimal(config.TOPUP_CREDITS_PER_TZS),
    tzsPerUsd: decimal(config.TZS_PER_USD),
  }
  const acts = allActs(deps)
  const { adjustment, approval, model, modality, ...ofAccounts } = acts
  return [
    ...operatorRoutes({ db }),
    refusalsRoute({ db }),
    ...accountRoutes({ db }),
    ...accountListRoutes({ db, clock, timeZone, payments }),
    ...accountActionRoutes({ db, acts: ofAccounts }),
    ...requestRoutes({ db, adjustment, acts: Object.values(acts) }),
    ...reviewRoutes({ db, payments }),
    ...overviewRoutes({ db, clock, timeZone, money }),
    ...fxRoutes({ db, clock, timeZone, defaultRate: config.TZS_PER_USD }),
    attentionRoute({ db, upstreams }),
    ...upstreamRoutes({ db, clock, upstreams }),
    ...auditRoutes({ db }),
    ...exportRoutes({ db, timeZone }),
    ...modelControlRoutes({ catalogSync, acts: { model, modality } }),
    tryModelRoute({ db, askModel }),
    ...priceRoutes({ catalogSync, approval }),
    ...outboxRoutes({ db }),
    ...webhookRoutes({ admin: deps.webhookAdmin }),
    ...webhookDeliveryRoutes({ admin: deps.webhookAdmin }),
  ]
}

/** What operators do alone or, where it matters more, with a second owner. */
function allActs({ config, accounts, catalogSync }: OperatorDeps) {
  const forget = (accountId: string) => {
    accounts.sessions.forget(accountId)
    accounts.apiKeys.forget(accountId)
  }
  return {
    ...accountActs(forget),
    resendCode: resendCodeAct(accounts),
    adjustment: adjustAct({
      supportMicro: parseCredits(config.OPERATOR_ADJUST_LIMIT_CREDITS),
      aloneMicro: parseCredits(config.OPERATOR_SECOND_PERSON_CREDITS),
      togetherMicro: parseCredits(config.OPERATOR_SECOND_PERSON_TOTAL_CREDITS),
    }),
    model: modelAct(catalogSync),
    modality: modalityAct(catalogSync),
    approval: approvalAct(),
  }
}
