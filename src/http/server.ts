import multipart from '@fastify/multipart'
import { fastify, type FastifyInstance } from 'fastify'
import type { Log } from '../lib/log.ts'
import { gatherBody } from './body.ts'
import { answerClientError } from './client-error.ts'
import { nothingHere, toFailure } from './dialect.ts'
import { standardHeaders } from './headers.ts'
import { Capacity, RunningCalls } from './limits/capacity.ts'
import { limitConnections } from './limits/connections.ts'
import type { Limiter } from './limits/process-counter.ts'
import { SlowBodies } from './limits/slow-bodies.ts'
import { addMethodRoutes } from './methods.ts'
import { ownRoutes, type MissingParts } from './own-routes.ts'
import { newRequestId } from './request-context.ts'
import { planOf, type Dialect, type Route, type RoutePlan } from './route.ts'
import { sendFailure } from './send.ts'
import { addRoute, fail } from './serve.ts'
import type {
  Authenticator,
  OperatorGate,
  ReplayStore,
  ServerContext,
  ServerSettings,
} from './server-context.ts'

export type ServerParts = {
  routes: Route[]
  /** Served like routes, but no part of the API and its documents. */
  pages?: Route[]
  authenticator: Authenticator
  /** Without it nobody is an operator. */
  operators?: OperatorGate | undefined
  limiter: Limiter
  replay: ReplayStore
  config: ServerSettings
  log: Log
  meter?: ServerContext['meter']
  tracer?: ServerContext['tracer']
  /** The parts that are missing before calls can be served; a server by itself needs none. */
  missing?: MissingParts
}

/** The server, built from the list of routes. It does not listen yet. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const running = new RunningCalls()
  const own = ownRoutes(parts.routes, {
    publicUrl: parts.config.PUBLIC_URL,
    missing: async () => {
      const missing = (await parts.missing?.()) ?? []
      return running.draining ? ['process'] : missing
    },
  })
  const routes = [...parts.routes, ...own]
  const context = contextOf(parts, routes, running)
  const plans = [...routes, ...(parts.pages ?? [])].map(planOf)
  const server = bareServer(context, plans)
  server.decorate('context', context)
  server.decorateRequest('call', null)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', gatherBody)
  server.setErrorHandler((error, request, reply) => fail(context, request, reply, error))
  server.setNotFoundHandler((request, reply) => fail(context, request, reply, nothingHere()))
  addRoutes(server, context, plans)
  addMethodRoutes(server, context, plans)
  return server
}

function contextOf(parts: ServerParts, routes: Route[], running: RunningCalls): ServerContext {
  const { authenticator, limiter, replay, config: settings, log, meter, tracer } = parts
  return {
    routes,
    authenticator,
    operators: parts.operators ?? { admit: async () => undefined },
    limiter,
    replay,
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
    corsOrigin: settings.FRONTEND_URL && new URL(settings.FRONTEND_URL).origin,
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    context: ServerContext
  }
}

const MOST_CONNECTIONS = 10_000
const LOOK_MS = 5_000

/** Time-outs and sizes are set on purpose; the runtime's own are too generous for the open net. */
function bareServer(context: ServerContext, plans: RoutePlan[]): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    // One hop: the address that our own proxy saw. More hops could be written by the caller.
    trustProxy: context.settings.TRUST_PROXY ? (_address, hop) => hop === 0 : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    // The largest body that we take, 35 MB, at 20 kB a second. Who stalls is cut much sooner.
    requestTimeout: 1_800_000,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
      // Checked with the other headers instead, so that the answer has our shape.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      const dialect = dialectNear(plans, request.raw.url ?? '')
      sendFailure(context, request, reply, { failure: toFailure(error), dialect })
    },
  })
  limitConnections(server.server, {
    most: MOST_CONNECTIONS,
    // Behind a proxy every connection has the proxy's address.
    perAddress: context.settings.TRUST_PROXY
      ? MOST_CONNECTIONS
      : (MOST_CONNECTIONS * context.settings.ADDRESS_SHARE_PERCENT) / 100,
  })
  const looking = setInterval(() => context.slowBodies.look(performance.now()), LOOK_MS).unref()
  server.addHook('onClose', async () => clearInterval(looking))
  // "100 Continue" is sent when the body is about to be read: a refused upload is never sent.
  server.server.on('checkContinue', (request, response) =>
    server.server.emit('request', request, response),
  )
  return server
}

/** Multipart routes have a scope of their own, since the plugin's hooks would slow every route. */
function addRoutes(server: FastifyInstance, context: ServerContext, plans: RoutePlan[]): void {
  const takesMultipart = (plan: RoutePlan) => plan.bodyKind === 'json-or-multipart'
  for (const plan of plans) if (!takesMultipart(plan)) addRoute(server, context, plan)
  if (!plans.some(takesMultipart)) return
  server.register(async (scope) => {
    await scope.register(multipart)
    for (const plan of plans) if (takesMultipart(plan)) addRoute(scope, context, plan)
  })
}

/** The dialect of an address that cannot be parsed: that of the routes it begins like. */
function dialectNear(plans: RoutePlan[], url: string): Dialect {
  let best: RoutePlan | undefined
  let longest = 0
  for (const plan of plans) {
    const fixed = plan.route.path.split(/[:*]/)[0]!
    if (url.startsWith(fixed) && fixed.length > longest) {
      best = plan
      longest = fixed.length
    }
  }
  return best?.route.dialect ?? 'envelope'
}
