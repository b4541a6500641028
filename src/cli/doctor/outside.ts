import { randomUUID } from 'node:crypto'
import type { Channel, MessageSender } from '../../notices/sender.ts'
import type { PaymentProvider } from '../../payments/provider.ts'
import type { UpstreamCheck } from '../../upstream/work.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

export type UpstreamQuestions = {
  names: readonly { name: string; sync: boolean }[]
  check(name: string): Promise<UpstreamCheck>
  /** How many models its list has. Throws when it cannot be read. */
  countModels(name: string): Promise<number>
}

/** Asks each upstream only for what costs nothing: the state of our key, and the list of models. */
export async function examineUpstreams(questions: UpstreamQuestions): Promise<Diagnosis[]> {
  return Promise.all(questions.names.map((upstream) => examineUpstream(questions, upstream)))
}

async function examineUpstream(
  { check, countModels }: UpstreamQuestions,
  { name, sync }: UpstreamQuestions['names'][number],
): Promise<Diagnosis> {
  const part = `upstream ${name}`
  const { problem, tookMs } = await check(name)
  if (problem !== undefined) return bad(part, PROBLEMS[problem], UPSTREAM_CURES[problem])
  const took =
    tookMs === undefined ? 'It cannot be asked without a paid call' : `It answered in ${tookMs} ms`
  if (!sync) return good(part, `${took}; its models are listed by hand.`)
  try {
    return good(part, `${took} and lists ${await countModels(name)} models.`)
  } catch {
    const cure = 'Try again later; until then the models that were read before are served.'
    return bad(part, 'Its list of models cannot be read.', cure)
  }
}

type Problem = NonNullable<UpstreamCheck['problem']>

const PROBLEMS: Record<Problem, string> = {
  key_refused: 'It refuses our key.',
  out_of_money: 'Our account there has no money.',
  forbidden: 'It forbids our account to ask.',
  rate_limited: 'It asks us to slow down.',
  unreachable: 'It does not answer, or not as its type should.',
}

const UPSTREAM_CURES: Record<Problem, string> = {
  key_refused: 'Put a valid key into the variable that api_key_env names.',
  out_of_money: 'Add money to the account at this provider.',
  forbidden: 'Ask the provider what the key may do.',
  rate_limited: 'Wait, or ask the provider for a higher limit.',
  unreachable: 'Check base_url and type in UPSTREAMS_FILE, and the network.',
}

/** Asks each provider for a payment that does not exist: the answer shows whether it knows us. */
export async function examinePayments(providers: readonly PaymentProvider[]): Promise<Diagnosis[]> {
  return Promise.all(providers.map(examineProvider))
}

async function examineProvider(provider: PaymentProvider): Promise<Diagnosis> {
  const part = `payments ${provider.name}`
  const found = await provider.status(nothing())
  if (found.status !== 'unreachable') return good(part, 'It accepts our credentials.')
  if (/^status_(401|403)$|^token$/.test(found.reason)) {
    const cure = `Correct the keys of ${provider.name} in the settings.`
    return bad(part, 'It refuses our credentials.', cure)
  }
  // The provider answered, even if with an error: that is what this checks.
  if (found.reason.startsWith('status_4')) return good(part, 'It accepts our credentials.')
  return bad(part, `It does not answer (${found.reason}).`, 'Check its address and the network.')
}

function nothing() {
  const reference = `DOCTOR${randomUUID().replaceAll('-', '').slice(0, 14).toUpperCase()}`
  return {
    id: randomUUID(),
    reference,
    providerRef: reference,
    amountTzs: 500,
    currency: 'TZS',
    phoneNumber: '+255700000000',
  }
}

/** How a channel is configured; undefined where messages are written as files. */
export type ChannelSettings = Record<Channel, string | undefined>

/** Logs in to the mail server or SMS provider. Sends nothing. */
export async function examineMessages(
  senders: Record<Channel, MessageSender>,
  settings: ChannelSettings,
): Promise<Diagnosis[]> {
  const channels: Channel[] = ['email', 'sms']
  return Promise.all(
    channels.map(async (channel) => {
      const name = settings[channel]
      if (name === undefined) {
        return note(
          channel,
          'Messages are written to DATA_DIR/outbox as files.',
          MESSAGE_CURES[channel],
        )
      }
      const answer = await senders[channel].check()
      if (answer.ok) return good(channel, `${name} accepts our login.`)
      const says = `${name} does not accept our login (${answer.reason}).`
      return bad(channel, says, `Correct the settings of ${name}, or check the network.`)
    }),
  )
}

const MESSAGE_CURES: Record<Channel, string> = {
  email: 'Set SMTP_URL before customers come.',
  sms: 'Set SMS_PROVIDER before customers come.',
}

/** `answers` is undefined without REDIS_URL. */
export async function examineRedis(
  answers: (() => Promise<boolean>) | undefined,
  workers: number,
): Promise<Diagnosis[]> {
  if (answers === undefined) {
    const says = 'REDIS_URL is not set: each process counts rate limits for itself.'
    return [
      workers > 1
        ? note('redis', says, 'Set it when replicas are to share them.')
        : note('redis', says),
    ]
  }
  if (await answers()) return [good('redis', 'It answers: replicas share their rate limits.')]
  const says = 'It does not answer: each process counts rate limits for itself.'
  return [bad('redis', says, 'Start it, or correct REDIS_URL.')]
}
