import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { JournalEntry } from '../../../simulator/models/journal.ts'
import { SIMULATED_MODELS } from '../../../simulator/models/simulated-models.ts'
import { drawPng } from '../../../simulator/models/picture.ts'
import { wav } from '../../../simulator/models/sound.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { startApp } from '../../support/app.ts'

/** Draws in conversation, and stands in no list of picture prices. */
const painter = {
  ...SIMULATED_MODELS.find(({ id }) => id === 'sim/picha-mazungumzo')!,
  id: 'sim/mchoraji',
  imageUsd: undefined as never,
}

/* The bound on what an account costs beyond what it pays, for every paid route beside chat. */

type App = Awaited<ReturnType<typeof startApp>>
let app: App
before(async () => {
  app = await startApp({ simulator: { faults: true, models: [painter] } })
})
after(() => app.close())
afterEach(() => assertAgreement(app.db))

const CREDITS_PER_USD = 3_000
const SPEECH_USD_PER_CHARACTER = 0.000015

function costOf({ route, body, cost, outcome }: JournalEntry): number {
  if (outcome !== 'finished') return 0
  if (route !== '/audio/speech') return (cost ?? 0) * CREDITS_PER_USD
  const { input } = body as { input: string }
  return Array.from(input).length * SPEECH_USD_PER_CHARACTER * CREDITS_PER_USD
}

async function chargedTo(accountId: string): Promise<number> {
  const [row] = await app.db.query<{ sum: string | null }>(
    `select sum(-amount_micro)::text from ledger_entries where account_id = $1 and type = 'usage'`,
    [accountId],
  )
  return Number(row!.sum ?? 0) / 1e6
}

/** Ten at once, twice. */
async function reckon(credits: string, path: string, body: object): Promise<number[]> {
  const thief = await app.customer(credits)
  app.models.log.clear()
  const statuses: number[] = []
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await fetch(`${app.url}${path}`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${thief.key}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
        })
        await answer.arrayBuffer()
        return answer.status
      }),
    )
    statuses.push(...answers)
  }
  const cost = app.models.log.entries.reduce((sum, entry) => sum + costOf(entry), 0)
  const charged = await chargedTo(thief.accountId)
  assert.ok(cost - charged <= charged / 10 + 10, `cost ${cost}, paid ${charged}`)
  for (const status of statuses) assert.ok(status === 200 || status === 402, String(status))
  return statuses
}

/** Five minutes of silence at 8 kHz; the simulator hears the seconds. */
const long = wav('Habari '.repeat(600))
const png = drawPng('x', 64, 64).toString('base64')

const ROUTES: [what: string, credits: string, path: string, body: object][] = [
  ['speech', '100', '/v1/audio/speech', { model: 'sim/sema', input: 'habari '.repeat(300) }],
  [
    'transcriptions by the second',
    '100',
    '/v1/audio/transcriptions',
    { model: 'sim/sikia', input_audio: { data: long.toString('base64'), format: 'wav' } },
  ],
  [
    'voice',
    '60',
    '/v1/voice/responses',
    {
      audio_data: wav('Habari ya leo, nieleze hali ya hewa ya Mwanza.').toString('base64'),
      audio_format: 'wav',
      stt_model: 'sim/sikia',
      text_model: 'sim/hekima',
      tts_model: 'sim/sema',
    },
  ],
  [
    'embeddings of dense text',
    '20',
    '/v1/embeddings',
    { model: 'sim/vekta', input: Array.from({ length: 50 }, () => '7🔥'.repeat(400)) },
  ],
  ['images', '300', '/v1/images/generations', { model: 'sim/picha', prompt: 'Twiga', n: 1 }],
  [
    'analyses',
    '3',
    '/v1/vision/analyze',
    { model: 'sim/macho', prompt: 'Eleza picha hii', image: { data: png } },
  ],
]

for (const [what, credits, path, body] of ROUTES) {
  test(`ten at once: ${what}`, async () => {
    const statuses = await reckon(credits, path, body)
    assert.ok(statuses.includes(200), statuses.join(' '))
  })
}

test('an analysis is asked for no more tokens than its limit pays for', async () => {
  const poor = await app.customer('3')
  app.models.log.clear()
  const body = { model: 'sim/macho', prompt: 'Eleza picha hii', image: { data: png } }
  const answer = await app.call('POST /v1/vision/analyze', { token: poor.key, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const sent = app.models.log.find({ route: '/chat/completions' })[0]!.body as {
    max_tokens: number
  }
  // Half of three credits, at 0.0075 a token.
  assert.ok(sent.max_tokens > 0 && sent.max_tokens <= 200, String(sent.max_tokens))
})

test('speech that the account cannot pay for in full is refused, and nobody is asked', async () => {
  const poor = await app.customer('20')
  app.models.log.clear()
  const body = { model: 'sim/sema', input: 'habari '.repeat(100) }
  const answer = await app.call('POST /v1/audio/speech', { token: poor.key, body })
  assert.equal(answer.status, 402)
  assert.equal(app.models.log.count(), 0)
})

test('a picture drawn in conversation is asked for with no more words than its limit pays for', async () => {
  const draw = async (credits: string) => {
    const { key } = await app.customer(credits)
    app.models.log.clear()
    const body = { model: 'sim/mchoraji', prompt: 'Twiga' }
    const answer = await app.call('POST /v1/images/generations', { token: key, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return app.models.log.find({ route: '/chat/completions' })[0]!.body as Record<string, unknown>
  }
  // A picture is 375.75 credits, at 0.09 a token; the longest answer would be 2,949.
  assert.equal((await draw('400')).max_tokens, 4_175)
  assert.equal((await draw('100000')).max_tokens, undefined)
})
