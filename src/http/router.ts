import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import createRouter, { type HTTPMethod } from 'find-my-way'
import { Failure } from '../lib/failure.ts'
import { nothingHere } from './dialect.ts'
import { allowPreflight } from './headers.ts'
import { mayWait } from './limits/connections.ts'
import { RequestContext } from './request-context.ts'
import { unlistedPlan, type Credential, type Dialect, type RoutePlan } from './route.ts'
import { send, sendFailure } from './send.ts'
import { serveCall } from './serve.ts'
import type { ServerContext } from './server-context.ts'
import { wrongAddresses, type Nowhere } from './wrong-address.ts'

type Router = createRouter.Instance<createRouter.HTTPVersion.V1>

/** Parameters are ids and names. */
const LONGEST_PARAM = 512

/** Finds the route of each request, and refuses what no route answers. */
export function requestListener(context: ServerContext, plans: RoutePlan[]): RequestListener {
  const refuse = (failure: Failure, ...[request, response]: Exchange) =>
    sendFailure(
      unlisted(context, { dialect: dialectNear(plans, request.url!) }, request, response),
      failure,
    )
  const nowhere = wrongAddresses(plans, context.settings.PUBLIC_URL)
  const router = createRouter({
    maxParamLength: LONGEST_PARAM,
    defaultRoute: (request, response) => {
      const { hint, ...read } = nowhere(request)
      const call = unlisted(context, read, request, response)
      // A browser asks first, and would show nothing of a refusal.
      if (hint !== undefined && request.method === 'OPTIONS')
        sendOptions(call, 'GET, POST, OPTIONS')
      else sendFailure(call, nothingHere(hint))
    },
    onBadUrl: (_path, ...exchange) =>
      refuse(
        new Failure('invalid', 'The address contains a malformed percent escape.'),
        ...exchange,
      ),
    onMaxParamLength: (_path, ...exchange) =>
      refuse(new Failure('not_found', 'There is no such resource.'), ...exchange),
  })
  for (const plan of plans) addRoute(router, context, plan)
  addMethods(router, context, plans, nowhere)
  return (request, response) => {
    // The answer that is the next one of its connection has its socket from the beginning.
    if (response.socket === null && !mayWait(request, response)) return
    router.lookup(request, response)
  }
}

type Exchange = [request: IncomingMessage, response: ServerResponse]

/** A request that no route answers: little more is known than the dialect of its answer. */
function unlisted(
  context: ServerContext,
  { dialect, credential = 'none' }: { dialect: Dialect; credential?: Credential | undefined },
  ...exchange: Exchange
): RequestContext {
  return new RequestContext(context, unlistedPlan(dialect, credential), ...exchange)
}

function sendOptions(call: RequestContext, allow: string): void {
  const { context, plan, request } = call
  const { credential } = plan.route
  const headers = { allow, ...allowPreflight(context.cors, { allow, credential }, request) }
  send(call, { status: 204, headers, body: '' })
}

function addRoute(router: Router, context: ServerContext, plan: RoutePlan): void {
  const { method, path } = plan.route
  // HEAD goes wherever GET goes, as HTTP asks.
  const methods: HTTPMethod[] = method === 'GET' ? ['GET', 'HEAD'] : [method]
  router.on(methods, path, (request, response, params, _store, query) => {
    const call = new RequestContext(context, plan, request, response)
    call.params = params
    call.query = query
    serveCall(call)
  })
}

const METHODS: HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/** For each known path: OPTIONS lists its methods, and any other method is 405 in its dialect. */
function addMethods(
  router: Router,
  context: ServerContext,
  plans: RoutePlan[],
  nowhere: (request: IncomingMessage) => Nowhere,
): void {
  // Only operators may know what there is for operators.
  const open = plans.filter((plan) => plan.route.credential !== 'operator')
  for (const [path, atPath] of Map.groupBy(open, (plan) => plan.route.path)) {
    const taken = new Set<HTTPMethod>(atPath.map((plan) => plan.route.method))
    if (taken.has('GET')) taken.add('HEAD')
    const allow = [...taken, 'OPTIONS'].join(', ')
    const { dialect } = atPath[0]!.route
    router.on('OPTIONS', path, (request, response) => {
      const method = request.headers['access-control-request-method']
      const credential = atPath.find(({ route }) => route.method === method)?.route.credential
      sendOptions(unlisted(context, { dialect, credential }, request, response), allow)
    })
    const others = METHODS.filter((method) => !taken.has(method))
    router.on(others, path, (request, response) => {
      // A client of the API whose base address is that of our pages.
      const { hint = '', ...read } = path.startsWith('/v1/') ? { dialect } : nowhere(request)
      const sentence = `This address does not allow ${request.method}. It allows ${allow}. ${hint}`
      const failure = new Failure('method_not_allowed', sentence.trim(), { headers: { allow } })
      sendFailure(unlisted(context, read, request, response), failure)
    })
  }
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
