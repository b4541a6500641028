import type { Guard } from './guard.ts'

/** Settings, background jobs, start and stop, and the tools that all rooms share. */
export const APP_GUARDS: readonly Guard[] = [
  {
    name: 'an address for the upstream names a public host',
    file: 'src/lib/public-url.ts',
    find: "return isPrivate ? 'must name a public host' : undefined",
    put: 'return isPrivate ? undefined : undefined',
    test: 'test/gateway/chat/messages.test.ts',
    fails: /./,
  },
  {
    name: 'real models are not sold for play money by default',
    file: 'src/config.ts',
    find: 'if (chosenProvider === undefined) {',
    put: 'if (chosenProvider === null) {',
    test: 'test/config.test.ts',
    fails: /real models without a payment provider/,
  },
  {
    name: 'play money for real models needs a setting that says so',
    file: 'src/config.ts',
    find: "if (config.PAYMENT_PROVIDER !== 'simulator' || config.ALLOW_SIMULATED_PAYMENTS) return []",
    put: 'if (config.PAYMENT_PROVIDER !== undefined) return []',
    test: 'test/config.test.ts',
    fails: /real models for play money/,
  },
  {
    name: 'what is kept goes with its account',
    file: 'src/app/rooms.ts',
    find: 'erasures: [deleteAllStoredResponses, deleteOperator],',
    put: 'erasures: [deleteOperator],',
    test: 'test/contract/gateway/responses.test.ts',
    fails: /goes with its account/,
  },
]
