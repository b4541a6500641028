import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startModelSimulator } from '../../../simulator/models/server.ts'
import { startMoneySimulator } from '../../../simulator/money/server.ts'
import { readConfig } from '../../../src/config.ts'
import { connectRedis } from '../../../src/http/limits/redis-counter.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openSenders } from '../../../src/notices/senders.ts'
import {
  examineMessages,
  examinePayments,
  examineRedis,
  examineUpstreams,
} from '../../../src/cli/doctor/outside.ts'
import { clickpesa } from '../../../src/payments/clickpesa.ts'
import { snippe } from '../../../src/payments/snippe.ts'
import { readUpstreams } from '../../../src/upstream/upstreams-file.ts'
import { openUpstreams } from '../../../src/upstream/upstreams.ts'
import { freePort } from '../../support/free-port.ts'
import { redisServers } from '../../support/peers/redis.ts'
import { startAfricasTalking, startBeem } from '../../support/peers/sms.ts'
import { startSmtpPeer } from '../../support/peers/smtp.ts'
import { statesOf } from './states.ts'

const closers: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of closers) await close()
})

test('upstreams: one that works, one that refuses our key, one that is not there', async () => {
  const models = await startModelSimulator({})
  closers.push(() => models.close())
  const entry = (name: string, base_url: string, api_key_env: string) => ({
    name,
    type: 'openrouter',
    base_url,
    api_key_env,
  })
  const upstreams = openUpstreams({
    upstreams: readUpstreams(
      {
        upstreams: [
          entry('works', models.url, 'KEY'),
          entry('wrong', models.url, 'WRONG'),
          entry('away', `http://127.0.0.1:${await freePort()}`, 'KEY'),
        ],
      },
      { KEY: models.apiKey, WRONG: 'sk-no-such-key' },
    ),
    log: silentLog,
  })
  closers.push(() => upstreams.close())
  const found = await examineUpstreams({
    names: upstreams.list,
    check: (name) => upstreams.check(name),
    countModels: async (name) => (await upstreams.catalog(name)).records.length,
  })
  assert.deepEqual(statesOf(found), [
    'upstream works good',
    'upstream wrong bad',
    'upstream away bad',
  ])
  assert.match(found[0]!.says, /^It answered in \d+ ms and lists \d+ models\.$/)
  assert.match(found[1]!.says, /refuses our key/)
  assert.doesNotMatch(JSON.stringify(found), /sk-no-such-key|127\.0\.0\.1/)
})

test('payments: good keys, wrong keys, an outage; and no payment is ever made', async () => {
  const keys = {
    snippe: { apiKey: 'snp', webhookSecret: 'whs' },
    clickpesa: { clientId: 'id', apiKey: 'key', checksumKey: 'sum' },
  }
  const money = await startMoneySimulator(keys)
  closers.push(() => money.close())
  const providers = (apiKey?: string) => [
    snippe({
      baseUrl: money.url,
      ...keys.snippe,
      ...(apiKey && { apiKey }),
      callbackUrl: () => '',
      fallbackEmail: undefined,
    }),
    clickpesa({ baseUrl: money.url, ...keys.clickpesa, ...(apiKey && { apiKey }) }),
  ]
  const states = async (apiKey?: string) => statesOf(await examinePayments(providers(apiKey)))
  assert.deepEqual(await states(), ['payments snippe good', 'payments clickpesa good'])
  assert.deepEqual(await states('wrong'), ['payments snippe bad', 'payments clickpesa bad'])
  money.control.outage(500)
  assert.deepEqual(await states(), ['payments snippe bad', 'payments clickpesa bad'])
  assert.deepEqual(money.control.payments(), [])
})

test('mail and SMS: a login that works, and one that does not; nothing is sent', async () => {
  const smtp = await startSmtpPeer()
  const beem = await startBeem({ apiKey: 'a', secretKey: 'b' })
  const africas = await startAfricasTalking({ apiKey: 'a' })
  closers.push(smtp.close, beem.close, africas.close)
  const examine = async (env: Record<string, string>) => {
    const config = readConfig(env)
    const senders = openSenders(config)
    const found = await examineMessages(senders, {
      email: config.SMTP_URL && new URL(config.SMTP_URL).host,
      sms: config.SMS_PROVIDER,
    })
    await Promise.all([senders.email.close(), senders.sms.close()])
    return statesOf(found)
  }
  const withBeem = {
    SMTP_URL: smtp.url,
    SMS_PROVIDER: 'beem',
    BEEM_BASE_URL: beem.url,
    BEEM_API_KEY: 'a',
    BEEM_SECRET_KEY: 'b',
  }
  const withAfricas = {
    SMS_PROVIDER: 'africastalking',
    AFRICASTALKING_BASE_URL: africas.url,
    AFRICASTALKING_USERNAME: 'mlango',
    AFRICASTALKING_API_KEY: 'a',
  }
  assert.deepEqual(await examine({}), ['email note', 'sms note'])
  assert.deepEqual(await examine(withBeem), ['email good', 'sms good'])
  assert.deepEqual(await examine(withAfricas), ['email note', 'sms good'])
  const dead = `smtp://127.0.0.1:${await freePort()}`
  assert.deepEqual(await examine({ ...withBeem, SMTP_URL: dead, BEEM_API_KEY: 'x' }), [
    'email bad',
    'sms bad',
  ])
  assert.deepEqual(await examine({ ...withAfricas, AFRICASTALKING_API_KEY: 'x' }), [
    'email note',
    'sms bad',
  ])
  assert.deepEqual([smtp.mails, beem.messages, africas.messages], [[], [], []])
})

test('Redis: not set, there, gone', async () => {
  assert.deepEqual(statesOf(await examineRedis(undefined, 1)), ['redis note'])
  for (const server of await redisServers()) {
    const counter = await connectRedis(server.url, systemClock)
    const answers = () => counter.isBack()
    assert.deepEqual(statesOf(await examineRedis(answers, 2)), ['redis good'], server.name)
    await server.stop()
    assert.deepEqual(statesOf(await examineRedis(answers, 2)), ['redis bad'], server.name)
    counter.close()
  }
})
