import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { oggRecording, packedPdf, webmRecording } from '../hostile-files.ts'
import { worth } from '../models.ts'
import { openPulse } from '../pulse.ts'
import { openTally, sumOf, tagText } from '../tally.ts'
import { WISHES } from './order.ts'
import { pdfText } from './pdf.ts'
import { soundSeconds } from './sound.ts'
import { startMetered, type Metered } from './upstreams.ts'

describe('the meters of the formats', () => {
  const tally = openTally(openPulse())
  let metered: Metered
  before(async () => {
    metered = await startMetered(tally)
  })
  after(() => metered.close())

  /** What was answered, and what it was billed. */
  const ask = async (nth: number, path: string, body: object, headers: object = {}) => {
    const answer = await fetch(`${metered.url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { text: await answer.text(), micro: sumOf(tally.ofThief(nth)).micro }
  }
  const said = (nth: number, more = '') => [
    { role: 'user', content: `${tagText({ nth, round: 1, strategy: 'a test' })} ${more}` },
  ]

  it('messages: every iteration is billed, and only the last is at the top', async () => {
    const body = { model: 'mita/hekaya', max_tokens: 20, messages: said(1) }
    const edits = { edits: [{ type: 'compact_20260112' }] }
    const { text, micro } = await ask(1, 'anthropic/messages', {
      ...body,
      context_management: edits,
    })
    const { usage } = JSON.parse(text) as { usage: { input_tokens: number; iterations: object[] } }
    assert.equal(usage.iterations.length, 2)
    assert.equal(micro, worth(usage.input_tokens * 2, 15) + worth(13_000 + 20, 75))
  })

  it('fields and betas that spend are billed at any depth', async () => {
    const plain = { model: 'mita/mjibu', max_tokens: 1, messages: said(2) }
    const { micro: without } = await ask(2, 'openai/chat/completions', plain)
    const spends = { ...plain, messages: said(3), reasoning: { plugins: [{ id: 'web' }] } }
    const { micro } = await ask(3, 'openai/chat/completions', spends)
    assert.ok(micro - without >= 300_000_000n, `${micro} and ${without}`)
  })

  it('a call that comes out empty is billed for what was thought', async () => {
    const parts = [{ text: said(4, WISHES.emptyCall)[0]!.content }]
    const path = 'gemini/models/mita%2Fnyota:generateContent'
    const { text, micro } = await ask(4, path, { contents: [{ role: 'user', parts }] })
    assert.match(text, /MALFORMED_FUNCTION_CALL/)
    assert.ok(micro > worth(8_000, 12))
  })

  it('a picture that is not drawn is billed as the chat that it was', async () => {
    const messages = said(5, `${WISHES.essay} ${WISHES.noPicture}`)
    const body = { model: 'mita/chora', max_tokens: 1_000, messages }
    const { text, micro } = await ask(5, 'openrouter/chat/completions', body)
    assert.doesNotMatch(text, /image_url/)
    assert.ok(micro > worth(1_000, 30))
  })
})

describe('files by what is in them', () => {
  it('a recording is as long as its packets', () => {
    assert.equal(Math.round(soundSeconds(webmRecording(100, 'maneno'))), 100)
    assert.ok(Math.abs(soundSeconds(oggRecording(150, 'maneno')) - 150) < 1)
  })

  it('a PDF holds what its streams unpack to', () => {
    const packed = packedPdf('0918273645', 10_000)
    assert.ok(packed.length < 2_000)
    assert.equal(pdfText(packed).text.length, 100_000)
  })
})
