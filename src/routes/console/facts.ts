import { z } from 'zod'
import type { SignIn } from '../../accounts/sign-in/sign-in.ts'
import { creditsNumber, parseCredits } from '../../ledger/money.ts'
import type { Config } from '../../config.ts'
import { matchesEtag } from '../../http/headers.ts'
import { route, type Route } from '../../http/route.ts'
import { sha256 } from '../../lib/secrets.ts'
import { MOBILE_NETWORKS } from '../../payments/networks.ts'
import { PUBLIC_PER_MINUTE } from '../fields.ts'

type Deps = {
  config: Config
  signIn: SignIn
  simulated: { upstreams: boolean; payments: boolean }
}

/** What a page must know before anyone has signed in. It is the same for everybody. */
export function consoleRoutes(deps: Deps): Route[] {
  const facts = factsOf(deps)
  const etag = `W/"${sha256(JSON.stringify(facts)).toString('base64url').slice(0, 22)}"`
  const headers = { etag, 'cache-control': 'public, max-age=60' }
  return [
    route({
      method: 'GET',
      path: '/v1/console',
      summary: 'Read what a page needs before anyone has signed in',
      description: 'Limits of top-ups, ways to sign in, mobile networks. The same for everybody.',
      tag: 'Console',
      credential: 'none',
      dialect: 'envelope',
      limit: 'principal',
      perMinute: PUBLIC_PER_MINUTE,
      response: consoleShape,
      honours: 'etag',
      async handle(call) {
        const known = matchesEtag(call.headers['if-none-match'], etag)
        return known ? { status: 304, headers, body: '' } : { data: facts, headers }
      },
    }),
  ]
}

const consoleShape = z.object({
  topup: z.object({
    min_tzs: z.int(),
    max_tzs: z.int(),
    credits_per_tzs: z.string().meta({ description: 'An exact decimal number' }),
    expires_in_s: z.int(),
    requires_verified_phone: z.boolean(),
    amounts_tzs: z.array(z.int()).meta({ description: 'Amounts to offer first' }),
  }),
  signup_bonus_credits: z.number(),
  low_balance_credits: z.number(),
  unpaid_credits: z.number().meta({ description: 'What any account may leave unpaid in 24 hours' }),
  sign_in: z.object({ google: z.boolean(), github: z.boolean() }),
  mfa_methods: z.array(z.enum(['totp', 'email', 'phone'])),
  simulated: z.object({ models: z.boolean(), payments: z.boolean() }),
  networks: z.array(
    z.object({
      id: z.string().meta({ example: 'vodacom' }),
      name: z.string().meta({ example: 'M-Pesa' }),
      prefixes: z
        .array(z.string())
        .meta({ description: 'A guess: numbers can change networks', example: ['74', '75', '76'] }),
      menu: z.string().meta({ description: "What to dial for the wallet's own menu" }),
    }),
  ),
  time_zone: z.string(),
  status_note: z.string().optional(),
})

const FIRST_AMOUNTS_TZS = [1_000, 5_000, 10_000, 50_000]

function factsOf({ config, signIn, simulated }: Deps): z.infer<typeof consoleShape> {
  const { TOPUP_MIN_TZS: min_tzs, TOPUP_MAX_TZS: max_tzs } = config
  return {
    topup: {
      min_tzs,
      max_tzs,
      credits_per_tzs: config.TOPUP_CREDITS_PER_TZS,
      expires_in_s: config.TOPUP_EXPIRY_MINUTES * 60,
      requires_verified_phone: config.TOPUP_REQUIRE_VERIFIED_PHONE,
      amounts_tzs: FIRST_AMOUNTS_TZS.filter((tzs) => tzs >= min_tzs && tzs <= max_tzs),
    },
    signup_bonus_credits: creditsNumber(parseCredits(config.SIGNUP_BONUS_CREDITS)),
    low_balance_credits: creditsNumber(parseCredits(config.LOW_BALANCE_CREDITS)),
    unpaid_credits: creditsNumber(parseCredits(config.UNPAID_CREDITS)),
    sign_in: {
      google: signIn.providers.google !== undefined,
      github: signIn.providers.github !== undefined,
    },
    mfa_methods: ['totp', 'email', 'phone'],
    simulated: { models: simulated.upstreams, payments: simulated.payments },
    networks: MOBILE_NETWORKS.map(({ id, name, prefixes, menu }) => ({
      id,
      name,
      prefixes: [...prefixes],
      menu,
    })),
    time_zone: config.ACTIVITY_TIME_ZONE,
    status_note: config.STATUS_NOTE,
  }
}
