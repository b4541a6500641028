import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../src/config.ts'

test('an empty environment is a working one', () => {
  const config = readConfig({})
  assert.equal(config.PORT, 8080)
  assert.equal(config.HOST, '127.0.0.1')
  assert.equal(config.PAYMENT_PROVIDER, 'simulator')
  assert.equal(config.SIGNUP_BONUS_CREDITS, '100')
})

test('workers need no other setting', () => {
  assert.equal(readConfig({ WORKERS: '4' }).WORKERS, 4)
})

test('an empty variable is an unset one', () => {
  assert.equal(readConfig({ DATABASE_URL: '', PORT: '' }).PORT, 8080)
})

const KEY = 'k'.repeat(32)

test('a database may be named by its host or by its socket', () => {
  for (const DATABASE_URL of [
    'postgres://h/d',
    'postgresql://u:p%40ss@h:5433/d?sslmode=require',
    'postgresql:///d?host=/run/postgresql&user=u',
    'postgresql://u@/d?host=/run/postgresql',
  ]) {
    assert.equal(readConfig({ DATABASE_URL, MASTER_KEY: KEY }).DATABASE_URL, DATABASE_URL)
  }
})

const REAL_MODELS = { UPSTREAMS_FILE: 'upstreams.json' }

test('real models go with real payments, and with simulated ones where a setting says so', () => {
  const keys = { SNIPPE_API_KEY: 'x', SNIPPE_WEBHOOK_SECRET: 'x' }
  const real = readConfig({ ...REAL_MODELS, PAYMENT_PROVIDER: 'snippe', ...keys })
  assert.equal(real.PAYMENT_PROVIDER, 'snippe')
  const play = { PAYMENT_PROVIDER: 'simulator', ALLOW_SIMULATED_PAYMENTS: 'true' }
  assert.equal(readConfig({ ...REAL_MODELS, ...play }).PAYMENT_PROVIDER, 'simulator')
})

const refused: [string, Record<string, string>, RegExp][] = [
  ['a port beyond the last', { PORT: '70000' }, /^PORT: /],
  ['a port in words', { PORT: 'http' }, /^PORT: /],
  ['a server without a master key', { DATABASE_URL: 'postgres://h/d' }, /^MASTER_KEY must be set/],
  ['a short master key', { MASTER_KEY: 'short' }, /^MASTER_KEY: must be at least 32/],
  ['another database', { DATABASE_URL: 'mysql://h/d', MASTER_KEY: KEY }, /^DATABASE_URL: /],
  ['a database without a name', { DATABASE_URL: 'h/d', MASTER_KEY: KEY }, /^DATABASE_URL: must be/],
  ['a language by its name', { VOICE_DEFAULT_LANGUAGE: 'Kiswahili' }, /^VOICE_DEFAULT_LANGUAGE: /],
  ['an unknown language', { VOICE_DEFAULT_LANGUAGE: 'xx' }, /^VOICE_DEFAULT_LANGUAGE: must be/],
  ['no worker at all', { WORKERS: '0' }, /^WORKERS: /],
  [
    'Snippe without its callback secret',
    { PAYMENT_PROVIDER: 'snippe', SNIPPE_API_KEY: 'x' },
    /SNIPPE_WEBHOOK_SECRET must be set/,
  ],
  [
    'Snippe with an empty callback secret',
    { PAYMENT_PROVIDER: 'snippe', SNIPPE_API_KEY: 'x', SNIPPE_WEBHOOK_SECRET: '' },
    /SNIPPE_WEBHOOK_SECRET must be set/,
  ],
  [
    'ClickPesa without its checksum key',
    { PAYMENT_PROVIDER: 'clickpesa', CLICKPESA_CLIENT_ID: 'x', CLICKPESA_API_KEY: 'x' },
    /CLICKPESA_CHECKSUM_KEY must be set/,
  ],
  ['real models without a payment provider', REAL_MODELS, /^PAYMENT_PROVIDER must be set/],
  [
    'real models with an empty payment provider',
    { ...REAL_MODELS, PAYMENT_PROVIDER: '', ALLOW_SIMULATED_PAYMENTS: 'true' },
    /^PAYMENT_PROVIDER must be set/,
  ],
  [
    'real models for play money',
    { ...REAL_MODELS, PAYMENT_PROVIDER: 'simulator' },
    /^ALLOW_SIMULATED_PAYMENTS must be true/,
  ],
  [
    'real models for play money, forbidden',
    { ...REAL_MODELS, PAYMENT_PROVIDER: 'simulator', ALLOW_SIMULATED_PAYMENTS: 'false' },
    /^ALLOW_SIMULATED_PAYMENTS must be true/,
  ],
  ['SMS without keys', { SMS_PROVIDER: 'beem' }, /BEEM_SECRET_KEY must be set/],
  ['a country that there is not', { SMS_COUNTRIES: 'TZ,UK' }, /^SMS_COUNTRIES: must be \*/],
  ['a country by its calling code', { SMS_COUNTRIES: '+255' }, /^SMS_COUNTRIES: must be \*/],
  ['no country at all', { SMS_COUNTRIES: ', ' }, /^SMS_COUNTRIES: must be \*/],
  ['no notice at all', { SMS_NOTICES_PER_DAY: '0' }, /^SMS_NOTICES_PER_DAY: /],
  ['Google without a secret', { GOOGLE_CLIENT_ID: 'x' }, /GOOGLE_CLIENT_SECRET must be set/],
  ['a partner without an audience', { PARTNER_ISSUER: 'https://id.tz' }, /PARTNER_AUDIENCE/],
  ['a price margin in words', { PRICE_MARGIN: 'double' }, /^PRICE_MARGIN: /],
  ['a negative bonus', { SIGNUP_BONUS_CREDITS: '-1' }, /^SIGNUP_BONUS_CREDITS: /],
  ...plainly('SNIPPE_BASE_URL', 'CLICKPESA_BASE_URL', 'BEEM_BASE_URL', 'AFRICASTALKING_BASE_URL'),
  ...plainly('OTEL_EXPORTER_OTLP_ENDPOINT', 'GOOGLE_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL'),
  ...plainly('PARTNER_ISSUER', 'FRONTEND_URL', 'OPERATOR_URL', 'OAUTH_REDIRECT_ALLOWLIST'),
  ['a script to return to', { OAUTH_REDIRECT_ALLOWLIST: 'javascript://localhost/' }, /must list/],
  ...[
    'app.example',
    'https://app.example/',
    'https://a.example/x',
    '*,https://a.example',
    'null',
    ', *, *',
  ]
    .concat(
      'https://A.example',
      'https://a.example:443',
      'https://u@a.example',
      'https://*.a.example',
    )
    .map((CORS_ORIGINS): (typeof refused)[number] => [
      `${CORS_ORIGINS} as origins`,
      { CORS_ORIGINS },
      /^CORS_ORIGINS: must be \* alone, or origins/,
    ]),
  ['every host without TLS', { ALLOW_PLAINTEXT_HOSTS: '*' }, /^ALLOW_PLAINTEXT_HOSTS: must be/],
  ['an address as a host', { ALLOW_PLAINTEXT_HOSTS: 'http://a' }, /^ALLOW_PLAINTEXT_HOSTS: /],
  [
    'a contact that nobody can reach',
    { SECURITY_CONTACT: 'the office' },
    /^SECURITY_CONTACT: must/,
  ],
  [
    'a contact of two lines',
    { SECURITY_CONTACT: 'mailto:a@b.tz\nX: y' },
    /^SECURITY_CONTACT: must/,
  ],
  ['a least top-up above the most', { TOPUP_MIN_TZS: '10', TOPUP_MAX_TZS: '9' }, /TOPUP_MIN_TZS/],
]
/** Over plain http, to another machine. */
function plainly(...names: string[]): typeof refused {
  return names.map((name) => [
    `${name} without TLS`,
    { [name]: 'http://pay.example.com/x', PARTNER_AUDIENCE: 'x' },
    new RegExp(`^${name} must`),
  ])
}
for (const [name, env, sentence] of refused) {
  test(`refused, by name: ${name}`, () => {
    assert.throws(
      () => readConfig(env),
      (error) => error instanceof ConfigError && sentence.test(error.message),
    )
  })
}

test('plain http stays within this machine, unless a setting names the host', () => {
  const at = (SNIPPE_BASE_URL: string, ALLOW_PLAINTEXT_HOSTS = '') =>
    readConfig({ SNIPPE_BASE_URL, ALLOW_PLAINTEXT_HOSTS }).SNIPPE_BASE_URL
  for (const near of ['http://127.0.0.1:9', 'http://localhost:9', 'http://[::1]:9']) at(near)
  at('http://pay.internal:9', '10.0.0.0/8,pay.internal')
  at('http://10.2.3.4', '10.0.0.0/8')
  at('http://[fd00::1]', 'fd00::/8')
  for (const far of ['http://notpay.internal', 'http://11.0.0.1', 'http://localhost.evil.example'])
    assert.throws(() => at(far, '10.0.0.0/8,pay.internal'), /^ConfigError: SNIPPE_BASE_URL must be/)
})

test('origins are read as browsers write them', () => {
  const read = (CORS_ORIGINS?: string) => readConfig({ CORS_ORIGINS }).CORS_ORIGINS
  assert.deepEqual(read(), [])
  assert.deepEqual(read('*'), ['*'])
  const several = ['https://app.example', 'http://localhost:5173', 'capacitor://localhost']
  assert.deepEqual(read(several.join(', ')), several)
  assert.deepEqual(read('http://[::1]:5173'), ['http://[::1]:5173'])
})

test('a sentence never repeats a value', () => {
  const secret = 'hunter2hunter2'
  assert.throws(
    () => readConfig({ MASTER_KEY: secret, DATABASE_URL: `mysql://u:${secret}@h/d` }),
    (error: Error) => !error.message.includes(secret),
  )
})
