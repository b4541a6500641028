import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ResponsesReader } from '../../../src/upstream/openai/responses-stream.ts'

const ours = { id: 'resp_seed', model: 'ours/model' }
const request = { dialect: 'responses', body: {}, headers: {}, only: false, ours } as const

/** One message, in pieces; `write` is how the server writes its JSON. */
function readPieces(pieces: string[], write: (event: object) => string) {
  const reader = new ResponsesReader(request)
  const item = { id: 'msg_theirs', type: 'message', role: 'assistant', content: [] }
  const place = { item_id: 'msg_theirs', output_index: 0, content_index: 0 }
  const events = [
    { type: 'response.output_item.added', output_index: 0, item },
    ...pieces.map((delta, n) => ({
      type: 'response.output_text.delta',
      ...place,
      delta,
      logprobs: [],
      sequence_number: n + 4,
    })),
  ]
  const sent = events.flatMap((event) => reader.read({ data: write(event) }))
  return { sent: parsed(sent), bytes: reader.outputBytes, cut: reader.cutShort() }
}

/** A piece that begins with a line break begins as the last one did. */
function parsed(events: string[]): unknown[][] {
  let begun = ''
  return events.map((event) => {
    const whole = event.startsWith('\n') ? begun + event : event
    const [type, ...json] = whole.split('\n')
    if (json.length > 1) begun = `${type}\n${json[0]}`
    return [type, JSON.parse(json.join('')) as unknown]
  })
}

test('any piece of text comes out the same, however its JSON is written', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('"', '\\', ''))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (pieces) => {
      const plain = readPieces(pieces, JSON.stringify)
      // With blanks in it an event is read as JSON, letter by letter.
      const spaced = readPieces(pieces, (event) => JSON.stringify(event).replace('{', '{ '))
      assert.deepEqual(plain, spaced)
      assert.equal(
        plain.bytes,
        pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
      )
    }),
  )
})

test('a piece bears the id that we gave its item', () => {
  const { sent } = readPieces(['Habari'], JSON.stringify)
  const [, delta] = sent[1]!
  assert.partialDeepStrictEqual(delta, { item_id: 'msg_seed0', delta: 'Habari' })
})
