import { createServer, type Server as HttpServer } from 'node:http'
import type { Log } from '../lib/log.ts'
import { answerClientError } from './client-error.ts'
import { corsOf, standardHeaders } from './headers.ts'
import { Capacity, RunningCalls } from './limits/capacity.ts'
import { limitConnections } from './limits/connections.ts'
import type { Limiter } from './limits/process-counter.ts'
import { SlowBodies } from './limits/slow-bodies.ts'
import { ownRoutes, type MissingParts } from './own-routes.ts'
import { planOf, type Route } from './route.ts'
import { requestListener } from './router.ts'
import type {
  Authenticator,
  OperatorGate,
  AnswerStore,
  ServerContext,
  ServerSettings,
} from './server-context.ts'
import { Sockets } from './sockets/sockets.ts'

export type ServerParts = {
  routes: Route[]
  /** Served like routes, but no part of the API and its documents. */
  pages?: Route[]
  authenticator: Authenticator
  /** Without it nobody is an operator. */
  operators?: OperatorGate | undefined
  limiter: Limiter
  storedAnswers: AnswerStore
  config: ServerSettings
  log: Log
  meter?: ServerContext['meter']
  tracer?: ServerContext['tracer']
  /** The parts that are missing before calls can be served; a server by itself needs none. */
  missing?: MissingParts
}

export type Server = {
  context: ServerContext
  /** Node's own server: its address and its connections. */
  http: HttpServer
  sockets: Sockets
  listen(place: { host: string; port: number }): Promise<void>
  /** Stops listening in this very turn. Resolves when all connections have ended. */
  close(): Promise<void>
}

/** The server, built from the list of routes. It does not listen yet. */
export function buildServer(parts: ServerParts): Server {
  const running = new RunningCalls()
  const own = ownRoutes(parts.routes, {
    publicUrl: parts.config.PUBLIC_URL,
    contact: parts.config.SECURITY_CONTACT,
    missing: async () => {
      const missing = (await parts.missing?.()) ?? []
      return running.draining ? ['process'] : missing
    },
  })
  const routes = [...parts.routes, ...own]
  const context = contextOf(parts, routes, running)
  const plans = [...routes, ...(parts.pages ?? [])].map(planOf)
  const sockets = new Sockets(context, plans)
  const http = httpServer(context, sockets)
  http.on('request', requestListener(context, plans))
  return {
    context,
    http,
    sockets,
    listen: ({ host, port }) =>
      new Promise((listening, failed) => {
        http.once('error', failed)
        http.listen(port, host, () => {
          http.off('error', failed)
          listening()
        })
      }),
    close: () => new Promise((closed) => void http.close(() => closed())),
  }
}

function contextOf(parts: ServerParts, routes: Route[], running: RunningCalls): ServerContext {
  const { authenticator, limiter, storedAnswers, config: settings, log, meter, tracer } = parts
  return {
    routes,
    authenticator,
    operators: parts.operators ?? { admit: async () => undefined },
    limiter,
    storedAnswers,
    settings,
    log,
    meter,
    tracer,
    running,
    capacity: new Capacity({
      calls: settings.MAX_RUNNING_CALLS,
      bytes: settings.MAX_BODIES_MB * 1_000_000,
      shares: {
        account: settings.ACCOUNT_SHARE_PERCENT / 100,
        address: settings.ADDRESS_SHARE_PERCENT / 100,
      },
    }),
    slowBodies: new SlowBodies(running, settings.SLOWEST_BODY_BYTES_PER_S),
    logsSuccesses: settings.LOG_LEVEL === 'debug',
    standardHeaders: standardHeaders(settings.PUBLIC_URL),
    operatorHost: settings.OPERATOR_URL && new URL(settings.OPERATOR_URL).host,
    cors: corsOf(settings.FRONTEND_URL, settings.CORS_ORIGINS ?? []),
  }
}

const MOST_CONNECTIONS = 10_000
const CHECK_SLOW_BODIES_MS = 5_000

/** Time limits and sizes are set here, because Node's own are too generous for the open internet. */
function httpServer({ settings, slowBodies }: ServerContext, sockets: Sockets): HttpServer {
  const http = createServer({
    keepAliveTimeout: 65_000,
    // The largest body that we take, 35 MB, at 20 kB a second. Who stalls is cut much sooner.
    requestTimeout: 1_800_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16 * 1024,
    insecureHTTPParser: false,
    // Checked with the other headers instead, so that the error has the format of its route.
    requireHostHeader: false,
    shouldUpgradeCallback: (request) => sockets.wants(request),
  })
  http.on('upgrade', (...asked) => void sockets.open(...asked))
  limitConnections(http, {
    most: MOST_CONNECTIONS,
    // Behind a proxy every connection has the proxy's address.
    perAddress: settings.TRUST_PROXY
      ? MOST_CONNECTIONS
      : (MOST_CONNECTIONS * settings.ADDRESS_SHARE_PERCENT) / 100,
  })
  const check = () => slowBodies.look(performance.now())
  const checking = setInterval(check, CHECK_SLOW_BODIES_MS).unref()
  http.on('close', () => clearInterval(checking))
  http.on('clientError', answerClientError)
  // "100 Continue" is sent when the body is about to be read: a refused upload is never sent.
  http.on('checkContinue', (request, response) => http.emit('request', request, response))
  return http
}
