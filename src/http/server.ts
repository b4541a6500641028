import multipart from '@fastify/multipart'
import { fastify, type FastifyInstance } from 'fastify'
import type { Log } from '../lib/log.ts'
import { prefixedId } from '../lib/ids.ts'
import { gatherBody } from './body.ts'
import { Capacity } from './limits/capacity.ts'
import { answerClientError } from './client-error.ts'
import { ownRoutes } from './own-routes.ts'
import { addMethodRoutes } from './methods.ts'
import { planOf, type Hallway, type HallwaySettings, type Plan } from './plan.ts'
import type { Doorkeeper, Limiter, ReplayBook } from './ports.ts'
import type { Route } from './route.ts'
import { RunningCalls } from './running.ts'
import { standardHeaders } from './security.ts'
import { enter, fail, serve } from './serve.ts'
import { Failure } from '../lib/failure.ts'
import { sendFailure } from './send.ts'
import { asFailure } from './translate.ts'

export type ServerParts = {
  routes: Route[]
  doorkeeper: Doorkeeper
  limiter: Limiter
  replay: ReplayBook
  config: HallwaySettings
  log: Log
  observe?: Hallway['observe']
}

/** The hallway, built from the list of routes. Listens to nothing yet. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const routes = [...parts.routes, ...ownRoutes(parts.routes, parts.config)]
  const hallway: Hallway = {
    routes,
    doorkeeper: parts.doorkeeper,
    limiter: parts.limiter,
    replay: parts.replay,
    settings: parts.config,
    log: parts.log,
    running: new RunningCalls(),
    capacity: new Capacity({
      calls: parts.config.MAX_RUNNING_CALLS,
      bodyBytes: parts.config.MAX_BODIES_MB * 1_000_000,
    }),
    observe: parts.observe,
    tellsAll: parts.config.LOG_LEVEL === 'debug',
    standardHeaders: standardHeaders(parts.config.PUBLIC_URL),
    corsOrigin: parts.config.FRONTEND_URL && new URL(parts.config.FRONTEND_URL).origin,
  }
  const plans = routes.map(planOf)
  const server = bareServer(hallway, plans)
  server.decorate('hallway', hallway)
  server.decorateRequest('walk', null)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', gatherBody)
  server.setErrorHandler((error, request, reply) => fail(hallway, request, reply, error))
  server.setNotFoundHandler((request, reply) =>
    fail(hallway, request, reply, new Failure('not_found', 'There is nothing at this address.')),
  )
  addRoutes(server, hallway, plans)
  addMethodRoutes(server, hallway, plans)
  return server
}

declare module 'fastify' {
  interface FastifyInstance {
    hallway: Hallway
  }
}

/** Time-outs and sizes are set on purpose; the runtime's own are too generous for the open net. */
function bareServer(hallway: Hallway, plans: Plan[]): FastifyInstance {
  const server = fastify({
    logger: false,
    genReqId: () => prefixedId('req_'),
    requestIdHeader: false,
    // One hop: the address that our own proxy saw. More hops could be written by the caller.
    trustProxy: hallway.settings.TRUST_PROXY ? (_address, hop) => hop === 0 : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    // One number for all: a 25 MiB recording over a slow mobile line needs minutes, and a slow
    // sender costs one of 10,000 sockets and at most its body's cap.
    requestTimeout: 180_000,
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
      // Judged on the walk instead, so that its answer has our shape.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      const dialect = dialectNear(plans, request.raw.url ?? '')
      sendFailure(hallway, request, reply, { failure: asFailure(error), dialect })
    },
  })
  server.server.maxConnections = 10_000
  // "100 Continue" is said when the body is about to be read: a refused upload is never sent.
  server.server.on('checkContinue', (request, response) =>
    server.server.emit('request', request, response),
  )
  return server
}

/** Multipart routes sit in a room of their own, since the plugin's hooks would slow every route. */
function addRoutes(server: FastifyInstance, hallway: Hallway, plans: Plan[]): void {
  const takesMultipart = (plan: Plan) => plan.bodyKind === 'json-or-multipart'
  for (const plan of plans) if (!takesMultipart(plan)) addRoute(server, hallway, plan)
  if (!plans.some(takesMultipart)) return
  server.register(async (scope) => {
    await scope.register(multipart)
    for (const plan of plans) if (takesMultipart(plan)) addRoute(scope, hallway, plan)
  })
}

function addRoute(server: FastifyInstance, hallway: Hallway, plan: Plan): void {
  server.route({
    method: plan.route.method,
    url: plan.route.path,
    onRequest: (request, reply, done) => enter(hallway, plan, request, reply, done),
    handler: (request, reply) => serve(hallway, request, reply),
  })
}

/** The dialect of an address that cannot be parsed: that of the routes it begins like. */
function dialectNear(plans: Plan[], url: string): Plan['route']['dialect'] {
  let best: Plan | undefined
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
