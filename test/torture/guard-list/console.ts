import type { Guard } from './guard.ts'

/** The web console and how it is served. */
export const CONSOLE_GUARDS: readonly Guard[] = [
  {
    name: 'a page of the console cannot be framed',
    file: 'src/web/headers.ts',
    find: `"frame-ancestors 'none'",`,
    put: '',
    test: 'test/console/serving.test.ts',
    fails: /may run, load, frame/,
  },
  {
    name: 'a sign-in leads to no page of another site',
    file: 'console/src/pages/sign-in/entering.ts',
    find: "return /^\\/(?:app|operator)(?:[/?]|$)/.test(next) ? next : '/app'",
    put: "return next || '/app'",
    test: 'test/console/sign-in.test.ts',
    fails: /a page of another site/,
  },
  {
    name: 'whatever a page sends again of a top-up is the same request',
    file: 'console/src/pages/app/billing/order-top-up.ts',
    find: '        idempotencyKey: key,\n',
    put: '',
    test: 'test/console/top-up.test.ts',
    fails: /make no second payment/,
  },
  {
    name: 'the key of a top-up survives a reload of the page',
    file: 'console/src/pages/app/billing/top-up-request.ts',
    find: '    sessionStorage.setItem(NAME, JSON.stringify(next))\n',
    put: '',
    test: 'test/console/top-up.test.ts',
    fails: /make no second payment/,
  },
  {
    name: 'a top-up that was begun by one account is not sent by the next',
    file: 'console/src/pages/app/billing/top-up-request.ts',
    find: 'return request?.account === account ? request : undefined',
    put: 'return request',
    test: 'test/console/top-up.test.ts',
    fails: /the next to sign in/,
  },
  {
    name: 'an order of the playground that may have been done keeps its key',
    file: 'console/src/pages/app/try/use-order.ts',
    find: 'const key = open.about === text ? open.key : crypto.randomUUID()',
    put: 'const key = crypto.randomUUID()',
    test: 'test/console/playground.test.ts',
    fails: /paid for once/,
  },
  {
    name: 'a session leaves nothing of the playground in the browser',
    file: 'console/src/client/session.ts',
    find: 'if (isKnown) keepOnly(next.id)',
    put: 'if (isKnown && token === null) keepOnly(next.id)',
    test: 'test/console/playground.test.ts',
    fails: /goes with its session/,
  },
]
