import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Failure } from '../lib/failure.ts'
import { allowPreflight } from './cors.ts'
import type { Hallway, Plan } from './plan.ts'
import type { Dialect } from './route.ts'
import { send, sendFailure } from './send.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** For each known path: OPTIONS tells what it takes, and any other method is 405 in its dialect. */
export function addMethodRoutes(server: FastifyInstance, hallway: Hallway, plans: Plan[]): void {
  for (const [path, there] of byPath(plans)) {
    const taken = new Set<HTTPMethods>(there.map((plan) => plan.route.method))
    // HEAD goes wherever GET goes, as HTTP asks.
    if (taken.has('GET')) taken.add('HEAD')
    const allow = [...taken, 'OPTIONS'].join(', ')
    const { dialect } = there[0]!.route
    server.route({
      method: 'OPTIONS',
      url: path,
      handler: (request, reply) => tellMethods(hallway, request, reply, allow),
    })
    server.route({
      method: METHODS.filter((method) => !taken.has(method)),
      url: path,
      onRequest: (request, reply) => refuse(hallway, request, reply, { allow, dialect }),
      handler: () => {},
    })
  }
}

function byPath(plans: Plan[]): Map<string, Plan[]> {
  return Map.groupBy(plans, (plan) => plan.route.path)
}

function tellMethods(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  allow: string,
): void {
  const headers = { allow, ...allowPreflight(hallway.corsOrigin, allow, request) }
  send(hallway, request, reply, { status: 204, headers, body: '' })
}

/** Before the body is looked at: the method alone decides. */
function refuse(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  told: { allow: string; dialect: Dialect },
): void {
  const failure = new Failure('method_not_allowed', `This address takes ${told.allow}.`, {
    headers: { allow: told.allow },
  })
  sendFailure(hallway, request, reply, { failure, dialect: told.dialect })
}
