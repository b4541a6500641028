import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Failure } from '../lib/failure.ts'
import { allowPreflight } from './headers.ts'
import type { Dialect, RoutePlan } from './route.ts'
import { send, sendFailure } from './send.ts'
import type { ServerContext } from './server-context.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** For each known path: OPTIONS lists its methods, and any other method is 405 in its dialect. */
export function addMethodRoutes(
  server: FastifyInstance,
  context: ServerContext,
  plans: RoutePlan[],
): void {
  // Only operators may know what there is for operators.
  const open = plans.filter((plan) => plan.route.credential !== 'operator')
  for (const [path, atPath] of Map.groupBy(open, (plan) => plan.route.path)) {
    const taken = new Set<HTTPMethods>(atPath.map((plan) => plan.route.method))
    // HEAD goes wherever GET goes, as HTTP asks.
    if (taken.has('GET')) taken.add('HEAD')
    const allow = [...taken, 'OPTIONS'].join(', ')
    const { dialect } = atPath[0]!.route
    server.route({
      method: 'OPTIONS',
      url: path,
      handler: (request, reply) => listMethods(context, request, reply, allow),
    })
    server.route({
      method: METHODS.filter((method) => !taken.has(method)),
      url: path,
      onRequest: (request, reply) => refuse(context, request, reply, { allow, dialect }),
      handler: () => {},
    })
  }
}

function listMethods(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  allow: string,
): void {
  const headers = { allow, ...allowPreflight(context.corsOrigin, allow, request) }
  send(context, request, reply, { status: 204, headers, body: '' })
}

/** Before the body is looked at: the method alone decides. */
function refuse(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { allow, dialect }: { allow: string; dialect: Dialect },
): void {
  const sentence = `This address does not allow ${request.method}. It allows ${allow}.`
  const failure = new Failure('method_not_allowed', sentence, { headers: { allow } })
  sendFailure(context, request, reply, { failure, dialect })
}
