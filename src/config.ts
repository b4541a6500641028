import { z } from 'zod'
import { isTimeZone } from './lib/days.ts'
import { languageCode } from './gateway/languages.ts'
import { isNetwork } from './lib/network.ts'
import { isTrustedAddress } from './lib/party-address.ts'
import { readCountries } from './notices/sms-countries.ts'

/** The only reader of the environment. Pure: `readConfig(process.env)` or `readConfig({})` in a test. */
export function readConfig(env: Record<string, string | undefined>): Config {
  // An empty variable is an unset one: `FOO=` in a .env file means "not set".
  const settings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(settings)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(sentence))
  const problems = [...unsafe(parsed.data), ...playMoney(parsed.data, settings.PAYMENT_PROVIDER)]
  if (problems.length > 0) throw new ConfigError(problems)
  return parsed.data
}

export class ConfigError extends Error {
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
  }
}

export type Config = z.infer<typeof schema>

const text = z.string().min(1)
const url = z.url({ protocol: /^https?$/ })

/** Without a host it names a socket, which the usual form of such an address leaves room for. */
const postgresUrl = text.refine(
  (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value.replace('@/', '@socket/')),
  'must be an address such as postgresql://user:password@host/name',
)
const whole = (low: number, high: number) => z.coerce.number().int().min(low).max(high)
const days = whole(1, 36_500)
const positive = z.coerce.number().positive().max(1e9)
const decimal = z.string().regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be a decimal number such as 1.25')
const credits = decimal
const yesNo = z.enum(['true', 'false', 'on', 'off']).transform((v) => v === 'true' || v === 'on')
const timeZone = z.string().refine(isTimeZone, 'must be a zone such as Africa/Nairobi')
const language = z
  .string()
  .refine((code) => languageCode(code) === code, 'must be an ISO 639-1 code such as sw or en')
const domain = z
  .string()
  .max(253)
  .regex(/^(?!\d+(\.\d+)*$)[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain such as example.com')
const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

const countries = text.transform((value, context) => {
  const read = readCountries(value)
  if (read !== undefined) return read
  context.addIssue('must be * or country codes such as TZ,KE')
  return z.NEVER
})

const networks = list.refine(
  (parts) => parts.every(isNetwork),
  'must be addresses or networks such as 196.41.0.0/16',
)

const hosts = list.refine(
  (parts) => parts.every((part) => isNetwork(part) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(part)),
  'must be host names in lowercase, addresses or networks such as vllm.internal,10.0.0.0/8',
)

const origins = list.refine(
  (parts) => parts.join() === '*' || parts.every(isOrigin),
  'must be * alone, or origins without a path such as https://app.example,http://localhost:5173',
)

/** As browsers write it: pages have others than http and https only inside an app. */
function isOrigin(part: string): boolean {
  if (
    !/^[a-z][a-z\d+.-]{0,30}:\/\/(?:[a-z\d._-]{1,253}|\[[\da-f:]{2,45}\])(?::\d{1,5})?$/.test(part)
  )
    return false
  return URL.canParse(part) && (!part.startsWith('http') || new URL(part).origin === part)
}

/** As RFC 9116 wants it: an address of mail gets its scheme here. */
const contact = text.transform((value, context) => {
  if (z.email().safeParse(value).success) return `mailto:${value}`
  if (/^(https|mailto):\S+$/.test(value) && URL.canParse(value)) return value
  context.addIssue('must be an email address or an https address')
  return z.NEVER
})

const ports = list
  .refine(
    (parts) => parts.every((part) => /^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535),
    'must be ports such as 8443,9000',
  )
  .transform((parts) => parts.map(Number))

const schema = z.object({
  // process
  HOST: text.default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  PUBLIC_URL: url.optional(),
  FRONTEND_URL: url.optional(),
  CORS_ORIGINS: origins.default([]),
  WORKERS: whole(1, 256).default(1),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  METRICS_PORT: whole(0, 65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_SERVICE_NAME: text.default('mlango'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  TRUST_PROXY: yesNo.default(false),
  ALLOW_PLAINTEXT_HOSTS: hosts.default([]),
  DRAIN_SECONDS: whole(0, 600).default(30),
  STATUS_NOTE: text.max(500).optional(),
  SECURITY_CONTACT: contact.optional(),

  // data
  DATA_DIR: text.default('./data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_OWNER_URL: postgresUrl.optional(),
  DATABASE_LISTEN_URL: postgresUrl.optional(),
  POSTGRES_BIN_DIR: text.optional(),
  DATABASE_POOL: whole(2, 200).default(20),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  MASTER_KEY: z.string().min(32, 'must be at least 32 characters').optional(),
  MASTER_KEY_PREVIOUS: z.string().min(32, 'must be at least 32 characters').optional(),

  // upstreams
  UPSTREAMS_FILE: text.optional(),
  CATALOG_SYNC_MINUTES: whole(1, 10_080).default(60),
  PRICE_MARGIN: decimal.default('1.0'),
  USD_TO_CREDIT_RATE: decimal.default('3000'),
  VIDEO_USD_TO_CREDIT_RATE: decimal.optional(),
  PRICE_CHANGE_GUARD: positive.default(3),

  // limits and reservations
  RATE_LIMIT_RPM: whole(1, 1_000_000).default(600),
  RATE_LIMIT_JWT_RPM: whole(1, 1_000_000).default(120),
  RATE_LIMIT_ACCOUNT_RPM: whole(1, 1_000_000).default(300),
  AUTH_RATE_LIMIT_RPM: whole(1, 1_000_000).default(20),
  CONCURRENCY_PER_ACCOUNT: whole(1, 100_000).default(50),
  MAX_RUNNING_CALLS: whole(1, 1_000_000).default(4_000),
  MAX_BODIES_MB: whole(50, 1_000_000).default(512),
  KEPT_ANSWERS_MB_PER_ACCOUNT: whole(1, 1_000_000).default(1_000),
  KEPT_RESPONSES_MB_PER_ACCOUNT: whole(1, 1_000_000).default(200),
  ACCOUNT_SHARE_PERCENT: whole(1, 100).default(25),
  ADDRESS_SHARE_PERCENT: whole(1, 100).default(50),
  SLOWEST_BODY_BYTES_PER_S: whole(0, 1_000_000).default(1_000),
  SIGNUP_BONUS_CREDITS: credits.default('100'),
  RESERVATION_CAP_CREDITS: credits.default('10'),
  MIN_RESERVATION_CREDITS: credits.default('0.01'),
  VOICE_RESERVATION_CREDITS: credits.default('5'),
  REPORTED_COST_CAP_USD: decimal.default('20'),
  UNPAID_CREDITS: credits.default('100'),
  UNPAID_DAILY_CREDITS: credits.default('30000'),
  VIDEO_DEADLINE_MINUTES: whole(1, 1440).default(60),
  LOW_BALANCE_CREDITS: credits.default('20'),
  ACTIVITY_RETENTION_DAYS: whole(1, 36_500).default(400),
  ACTIVITY_TIME_ZONE: timeZone.default('Africa/Dar_es_Salaam'),

  // operators
  OPERATOR_URL: url.optional(),
  OPERATOR_NETWORKS: networks.optional(),
  OPERATOR_ADJUST_LIMIT_CREDITS: credits.default('20000'),
  OPERATOR_SECOND_PERSON_CREDITS: credits.default('500000'),
  OPERATOR_SECOND_PERSON_TOTAL_CREDITS: credits.default('1000000'),
  TZS_PER_USD: decimal.default('2600'),
  WEBHOOK_ALLOW_NETWORKS: networks.optional(),
  WEBHOOK_ALLOW_PORTS: ports.default([]),
  AUDIT_HEAD_TO: z.email().optional(),

  // retention
  UNVERIFIED_ACCOUNT_DAYS: days.default(7),
  ENDED_SESSION_DAYS: days.default(30),
  REVOKED_KEY_DAYS: days.default(90),
  NOTIFICATION_DAYS: days.default(180),
  VIDEO_JOB_DAYS: days.default(90),
  RESPONSE_DAYS: whole(0, 3_650).default(30),

  // voice
  VOICE_DEFAULT_STT_MODEL: text.optional(),
  VOICE_DEFAULT_TEXT_MODEL: text.optional(),
  VOICE_DEFAULT_TTS_MODEL: text.optional(),
  VOICE_DEFAULT_VOICE: text.optional(),
  VOICE_DEFAULT_LANGUAGE: language.default('sw'),

  // mail and SMS
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: text.default('Mlango <no-reply@localhost>'),
  SMS_PROVIDER: z.enum(['beem', 'africastalking']).optional(),
  SMS_COUNTRIES: countries.optional(),
  SMS_NOTICES_PER_DAY: whole(1, 1_000).default(5),
  SMS_CODES_PER_DAY: whole(1, 10_000_000).default(5_000),
  SMS_CODES_PER_ADDRESS: whole(1, 10_000_000).default(200),
  BEEM_BASE_URL: url.default('https://apisms.beem.africa'),
  BEEM_API_KEY: text.optional(),
  BEEM_SECRET_KEY: text.optional(),
  BEEM_SENDER_ID: text.default('INFO'),
  AFRICASTALKING_BASE_URL: url.default('https://api.africastalking.com'),
  AFRICASTALKING_USERNAME: text.optional(),
  AFRICASTALKING_API_KEY: text.optional(),

  // payments
  PAYMENT_PROVIDER: z.enum(['simulator', 'snippe', 'clickpesa']).default('simulator'),
  ALLOW_SIMULATED_PAYMENTS: yesNo.default(false),
  SNIPPE_BASE_URL: url.default('https://api.snippe.sh'),
  SNIPPE_API_KEY: text.optional(),
  SNIPPE_WEBHOOK_SECRET: text.optional(),
  SNIPPE_FALLBACK_EMAIL: z.email().optional(),
  CLICKPESA_BASE_URL: url.default('https://api.clickpesa.com/third-parties'),
  CLICKPESA_CLIENT_ID: text.optional(),
  CLICKPESA_API_KEY: text.optional(),
  CLICKPESA_CHECKSUM_KEY: text.optional(),
  TOPUP_MIN_TZS: whole(1, 100_000_000).default(500),
  TOPUP_MAX_TZS: whole(1, 100_000_000).default(3_000_000),
  TOPUP_CREDITS_PER_TZS: decimal.default('1'),
  TOPUP_EXPIRY_MINUTES: whole(1, 1440).default(30),
  TOPUP_REQUIRE_VERIFIED_PHONE: yesNo.default(true),

  // sign-in
  PASSKEY_DOMAIN: domain.optional(),
  OAUTH_REDIRECT_ALLOWLIST: list.default([]),
  GOOGLE_ISSUER: url.default('https://accounts.google.com'),
  GOOGLE_CLIENT_ID: text.optional(),
  GOOGLE_CLIENT_SECRET: text.optional(),
  GOOGLE_ANDROID_AUDIENCES: list.default([]),
  GITHUB_URL: url.default('https://github.com'),
  GITHUB_API_URL: url.default('https://api.github.com'),
  GITHUB_CLIENT_ID: text.optional(),
  GITHUB_CLIENT_SECRET: text.optional(),
  PARTNER_IDENTITY_SLUG: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lowercase letters, digits and hyphens')
    .default('partner'),
  PARTNER_ISSUER: url.optional(),
  PARTNER_AUDIENCE: text.optional(),
  PARTNER_REQUIRED_SCOPE: text.optional(),
  PARTNER_CLIENT_IDS: list.default([]),
  PARTNER_TOKEN_TYPES: list
    .pipe(z.array(z.enum(['at+jwt', 'JWT'])).min(1))
    .default(['at+jwt', 'JWT']),
})

function sentence(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.') || 'The environment'}: ${issue.message}.`
}

/** Settings that are well-formed one by one but unsafe together. */
function unsafe(config: Config): string[] {
  const problems: string[] = []
  const need = (name: keyof Config, why: string) => {
    if (config[name] === undefined) problems.push(`${name} must be set: ${why}.`)
  }
  if (config.DATABASE_URL) need('MASTER_KEY', 'every replica of DATABASE_URL shares its keys')
  if (config.PAYMENT_PROVIDER === 'snippe') {
    need('SNIPPE_API_KEY', 'PAYMENT_PROVIDER is snippe')
    need('SNIPPE_WEBHOOK_SECRET', 'without it anyone could forge a payment callback')
  }
  if (config.PAYMENT_PROVIDER === 'clickpesa') {
    need('CLICKPESA_CLIENT_ID', 'PAYMENT_PROVIDER is clickpesa')
    need('CLICKPESA_API_KEY', 'PAYMENT_PROVIDER is clickpesa')
    need('CLICKPESA_CHECKSUM_KEY', 'without it anyone could forge a payment callback')
  }
  if (config.SMS_PROVIDER === 'beem') {
    need('BEEM_API_KEY', 'SMS_PROVIDER is beem')
    need('BEEM_SECRET_KEY', 'SMS_PROVIDER is beem')
  }
  if (config.SMS_PROVIDER === 'africastalking') {
    need('AFRICASTALKING_USERNAME', 'SMS_PROVIDER is africastalking')
    need('AFRICASTALKING_API_KEY', 'SMS_PROVIDER is africastalking')
  }
  if (config.GOOGLE_CLIENT_ID) need('GOOGLE_CLIENT_SECRET', 'GOOGLE_CLIENT_ID is set')
  if (config.GITHUB_CLIENT_ID) need('GITHUB_CLIENT_SECRET', 'GITHUB_CLIENT_ID is set')
  if (config.PARTNER_ISSUER) need('PARTNER_AUDIENCE', 'PARTNER_ISSUER is set')
  problems.push(...unsafeSignIn(config), ...unsafePasskeys(config), ...unsafeParties(config))
  if (config.TOPUP_MIN_TZS > config.TOPUP_MAX_TZS) {
    problems.push('TOPUP_MIN_TZS must not be larger than TOPUP_MAX_TZS.')
  }
  return problems
}

/** Real models cost real money: nobody may buy them with play money unless a setting says so. */
function playMoney(config: Config, chosenProvider: string | undefined): string[] {
  if (config.UPSTREAMS_FILE === undefined) return []
  if (chosenProvider === undefined) {
    return ['PAYMENT_PROVIDER must be set: the models of UPSTREAMS_FILE cost real money.']
  }
  if (config.PAYMENT_PROVIDER !== 'simulator' || config.ALLOW_SIMULATED_PAYMENTS) return []
  const why =
    'with PAYMENT_PROVIDER=simulator anyone can buy the models of UPSTREAMS_FILE for nothing'
  return [`ALLOW_SIMULATED_PAYMENTS must be true: ${why}.`]
}

/** Browsers take tokens there, or our keys go there: over plain http only within this machine. */
function unsafeSignIn(config: Config): string[] {
  const problems: string[] = []
  for (const name of BROWSERS_GO_THERE) {
    const value = config[name]
    if (value !== undefined && !isTrustedAddress(value)) {
      problems.push(`${name} must be an https address.`)
    }
  }
  for (const page of config.OAUTH_REDIRECT_ALLOWLIST) {
    if (!URL.canParse(page) || page.includes('#') || !isTrustedAddress(page)) {
      problems.push('OAUTH_REDIRECT_ALLOWLIST must list https addresses without a fragment.')
    }
  }
  if (TAKEN_SLUGS.has(config.PARTNER_IDENTITY_SLUG)) {
    problems.push('PARTNER_IDENTITY_SLUG must not be the name of another sign-in route.')
  }
  return problems
}

/** Browsers refuse passkeys to a page outside the domain that they are for. */
function unsafePasskeys({ PASSKEY_DOMAIN: domain, PUBLIC_URL: page }: Config): string[] {
  if (domain === undefined) return []
  if (page === undefined) return ['PUBLIC_URL must be set: PASSKEY_DOMAIN is.']
  if (`.${new URL(page).hostname}`.endsWith(`.${domain}`)) return []
  return ['PASSKEY_DOMAIN must be the host of PUBLIC_URL or a domain above it.']
}

const TAKEN_SLUGS = new Set(['register', 'login', 'refresh', 'logout', 'otp', 'password'])

const BROWSERS_GO_THERE = [
  'GOOGLE_ISSUER',
  'GITHUB_URL',
  'GITHUB_API_URL',
  'PARTNER_ISSUER',
  'OPERATOR_URL',
  'FRONTEND_URL',
] as const

/** Keys, codes and names of customers go there. */
function unsafeParties(config: Config): string[] {
  return WE_CALL.filter((name) => {
    const value = config[name]
    return value !== undefined && !isTrustedAddress(value, config.ALLOW_PLAINTEXT_HOSTS)
  }).map((name) => `${name} must be an https address, or its host in ALLOW_PLAINTEXT_HOSTS.`)
}

const WE_CALL = [
  'BEEM_BASE_URL',
  'AFRICASTALKING_BASE_URL',
  'SNIPPE_BASE_URL',
  'CLICKPESA_BASE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const
