import type { Accounts } from '../accounts/accounts.ts'
import { openSignIn } from '../accounts/sign-in/sign-in.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { SyncParts } from '../catalog/sync.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { weighingGateway } from '../gateway/quote.ts'
import type { Responses } from '../gateway/responses/responses.ts'
import type { Videos } from '../gateway/videos/videos.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import type { Payments } from '../payments/payments.ts'
import type { Upstreams } from '../upstream/work.ts'
import { activityRoutes } from './activity.ts'
import { analyzeRoutes } from './analyze.ts'
import { apiKeyRoutes, ownKeyRoute } from './api-keys.ts'
import { audioRoutes } from './audio.ts'
import { authRoutes } from './auth.ts'
import { billingRoutes, quoteRoute } from './billing.ts'
import { chatRoutes } from './chat.ts'
import { consoleRoutes } from './console/facts.ts'
import { embeddingsRoutes } from './embeddings.ts'
import { gatewayHealthRoutes, healthHistoryRoutes } from './gateway-health.ts'
import { imageRoutes } from './images.ts'
import { storedResponseRoutes } from './stored-responses.ts'
import { meRoutes } from './me.ts'
import { messagesRoutes } from './messages.ts'
import { modelRoutes } from './models.ts'
import { notificationRoutes } from './notifications.ts'
import { allOperatorRoutes, type OperatorDeps } from './operator/index.ts'
import type { AskModel } from './operator/try-model.ts'
import { paymentRoutes } from './payments.ts'
import { responseRoutes } from './responses.ts'
import { signInRoutes } from './sign-in.ts'
import { videoRoutes } from './videos.ts'
import { voiceRoutes } from './voice.ts'
import { workspaceRoutes } from './workspaces.ts'

export type Services = {
  config: Config
  db: Db
  clock: Clock
  accounts: Accounts
  catalog: Catalog
  catalogSync: SyncParts
  gateway: Gateway
  responses: Responses
  videos: Videos
  payments: Payments
  upstreams: Upstreams
  askModel: AskModel
  webhookAdmin: OperatorDeps['webhookAdmin']
  simulated: { upstreams: boolean; payments: boolean }
}

/** Every route: the server, the OpenAPI document and the endpoint test read this list. */
export function allRoutes(services: Services): Route[] {
  const { config, db, clock, accounts, catalog, payments, upstreams } = services
  const timeZone = config.ACTIVITY_TIME_ZONE
  const signIn = openSignIn(accounts, config)
  return [
    ...authRoutes(accounts),
    ...signInRoutes(signIn),
    ...consoleRoutes({ config, signIn, simulated: services.simulated }),
    ...meRoutes(accounts),
    ...workspaceRoutes(accounts),
    ...apiKeyRoutes(accounts),
    ownKeyRoute({ accounts, timeZone, perMinute: config.RATE_LIMIT_RPM }),
    ...modelRoutes({ catalog }),
    ...gatewayRoutes(services),
    ...storedResponseRoutes(services.responses),
    ...gatewayHealthRoutes(upstreams),
    ...healthHistoryRoutes({ db, clock, timeZone, note: config.STATUS_NOTE }),
    ...billingRoutes({ db }),
    quoteRoute({ paid: weighedRoutes(services), creditsPerTzs: config.TOPUP_CREDITS_PER_TZS }),
    ...paymentRoutes({ payments }),
    ...activityRoutes({ db, clock, timeZone }),
    ...notificationRoutes({ db }),
    ...allOperatorRoutes(services),
  ]
}

/** What models are asked for. */
function gatewayRoutes({ gateway, responses, videos }: Work): Route[] {
  return [
    ...chatRoutes(gateway),
    ...messagesRoutes(gateway),
    ...responseRoutes(responses),
    ...embeddingsRoutes(gateway),
    ...audioRoutes(gateway),
    ...voiceRoutes(gateway),
    ...analyzeRoutes(gateway),
    ...imageRoutes(gateway),
    ...videoRoutes(videos),
  ]
}

type Work = Pick<Services, 'gateway' | 'responses' | 'videos'>

/** The paid ones once more, of a gateway that does nothing. */
function weighedRoutes({ gateway: doing, responses, videos }: Work): Route[] {
  const gateway = weighingGateway(doing)
  const work = {
    gateway,
    responses: { ...responses, gateway },
    videos: { ...videos, gateway },
  }
  return gatewayRoutes(work).filter(({ paid }) => paid === true)
}
