import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PartReader, type Part } from '../../../src/gateway/chat/answer-parts.ts'
import { inputOf, wholeParts } from '../../../src/gateway/chat/whole-parts.ts'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'

/** What a listener is told, as one line each; a second part that opens meanwhile is an error. */
function told(deltas: Fields[], finish: string | null = 'stop') {
  const lines: string[] = []
  const details: Fields[][] = []
  const parts: { kind: string; name: string; text: string }[] = []
  let open: Part | undefined
  let ids = 0
  const reader = new PartReader(
    {
      open: (part) => {
        assert.equal(open, undefined)
        assert.equal(part.position, parts.length)
        open = part
        parts.push({ kind: part.kind, name: part.name, text: '' })
        lines.push(`open ${part.kind}${part.kind === 'call' ? ` ${part.id} ${part.name}` : ''}`)
      },
      delta: (part, text) => {
        assert.equal(part, open)
        assert.notEqual(text, '')
        lines.push(text)
        parts.at(-1)!.text += text
      },
      close: (part) => {
        assert.equal(part, open)
        open = undefined
        lines.push('close')
        if (part.kind === 'reasoning') details.push(part.details)
      },
    },
    () => `id${ids++}`,
  )
  deltas.forEach((delta, i) => {
    const last = i === deltas.length - 1
    reader.take(
      JSON.stringify({ choices: [{ index: 0, delta, finish_reason: last ? finish : null }] }),
    )
  })
  reader.end()
  assert.equal(open, undefined)
  return { lines, parts, details, finish: reader.finish, hasCalls: reader.hasCalls }
}

const call = (
  index: number | undefined,
  text: string,
  more: { id?: string; name?: string } = {},
) => ({
  tool_calls: [{ index, id: more.id, function: { name: more.name, arguments: text } }],
})

test('reasoning, text and calls come one after the other', () => {
  const { lines, finish, hasCalls } = told(
    [
      { role: 'assistant', content: '' },
      { reasoning: 'Na', content: null },
      { reasoning: 'waza', content: 'Ha' },
      { content: 'bari' },
      call(0, '', { id: 'a', name: 'f' }),
      call(0, '{"x"'),
      call(0, ':1}'),
      call(1, '{}', { id: 'b', name: 'g' }),
    ],
    'tool_calls',
  )
  const thoughts = ['open reasoning', 'Na', 'waza', 'close']
  const text = ['open text', 'Ha', 'bari', 'close']
  const calls = ['open call id0 f', '{"x"', ':1}', 'close', 'open call id1 g', '{}', 'close']
  assert.deepEqual(lines, [...thoughts, ...text, ...calls])
  assert.deepEqual([finish, hasCalls], ['tool_calls', true])
})

test('deltas of another call wait until the open one is complete', () => {
  const { lines } = told([
    call(0, '{"a":', { id: 'a', name: 'f' }),
    call(1, '{"b"', { id: 'b', name: 'g' }),
    { content: 'wait' },
    call(0, '"}"'),
    call(1, ':2}'),
    call(0, '}'),
    { content: '!' },
  ])
  const first = ['open call id0 f', '{"a":', '"}"', '}', 'close']
  const second = ['open call id1 g', '{"b":2}', 'close']
  assert.deepEqual(lines, [...first, ...second, 'open text', 'wait', '!', 'close'])
})

test('a call without arguments gets an empty object', () => {
  const { lines } = told([call(0, '', { id: 'a', name: 'f' }), call(1, ' ', { name: 'g' })])
  const second = ['open call id1 g', ' ', '{}', 'close']
  assert.deepEqual(lines, ['open call id0 f', '{}', 'close', ...second])
})

test('calls under one index are told apart by their ids, or by complete arguments', () => {
  const { lines } = told([
    call(0, '{"a":1}', { id: 'x', name: 'f' }),
    call(0, '{"a":2}', { id: 'y', name: 'f' }),
    call(0, '{"a":3}', { name: 'f' }),
    call(0, '', { name: 'f' }),
  ])
  assert.deepEqual(
    lines.filter((line) => line !== 'close'),
    ['open call id0 f', '{"a":1}', 'open call id1 f', '{"a":2}', 'open call id2 f', '{"a":3}'],
  )
})

test('ids are ours even if an upstream repeats its own; a name may come late, or never', () => {
  const same = { id: 'functions.f:0', name: 'f' }
  const { lines } = told([
    call(0, '{}', same),
    call(1, '{}', same),
    call(2, '{"late":', { id: 'z' }),
    call(2, '1}', { name: 'h' }),
    call(3, '{}', { id: 'nameless' }),
  ])
  assert.deepEqual(
    lines.filter((line) => line !== 'close'),
    ['open call id0 f', '{}', 'open call id1 f', '{}', 'open call id2 h', '{"late":1}'],
  )
})

test('details of a reasoning that come in pieces are joined', () => {
  const text = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
  const { lines, details } = told([
    { reasoning: 'a', reasoning_details: [{ ...text, text: 'a' }] },
    { reasoning: 'b', reasoning_details: [{ ...text, text: 'b' }] },
    { reasoning_details: [{ ...text, signature: 's' }] },
    { reasoning_details: [{ type: 'reasoning.text', index: 1, text: 'c', signature: 't' }] },
    { content: 'ok' },
  ])
  assert.deepEqual(lines.slice(0, 5), ['open reasoning', 'a', 'b', 'c', 'close'])
  const second = { type: 'reasoning.text', index: 1, text: 'c', signature: 't' }
  assert.deepEqual(details, [[{ ...text, text: 'ab', signature: 's' }, second]])
})

test('what signs a call stands before it and names it by our id', () => {
  const signed = {
    ...call(0, '{}', { id: 'x', name: 'f' }).tool_calls[0]!,
    extra_content: { google: { thought_signature: 'sig' } },
  }
  const direct = told([{ tool_calls: [signed] }])
  assert.deepEqual(direct.lines.slice(0, 3), ['open reasoning', 'close', 'open call id0 f'])
  const detail = { type: 'reasoning.encrypted', data: 'sig', format: 'google-gemini-v1' }
  assert.deepEqual(direct.details, [[{ ...detail, id: 'id0' }]])
  const early = { reasoning_details: [{ ...detail, id: 'x' }] }
  const routed = told([early, call(0, '{}', { id: 'x', name: 'f' })])
  assert.deepEqual([routed.lines, routed.details], [direct.lines, direct.details])
})

test('an answer with nothing in it has no parts; a refusal is text', () => {
  assert.deepEqual(told([{ role: 'assistant', content: '' }, {}]).lines, [])
  assert.deepEqual(told([{ refusal: 'No.' }]).lines, ['open text', 'No.', 'close'])
})

test('chunks that differ only in their text are read like any other', () => {
  const pieces = ['a', ' "quoted" ', '\\', '\n', 'é✓', '","finish_reason":"stop', '', '}', '\u0000']
  const { parts, finish } = told(
    pieces.map((content) => ({ content, refusal: null })),
    null,
  )
  assert.deepEqual(parts, [{ kind: 'text', name: '', text: pieces.join('') }])
  assert.equal(finish, null)
  const mixed = [
    { content: 'a' },
    { content: 'b', reasoning: 'c' },
    { content: 'd' },
    { content: 'd' },
  ]
  assert.deepEqual(
    told(mixed).parts.map(({ kind, text }) => [kind, text]),
    [
      ['text', 'a'],
      ['reasoning', 'c'],
      ['text', 'bdd'],
    ],
  )
})

test('arguments that are no object are a failure of the upstream', () => {
  const ofCall = (text: string) =>
    wholeParts({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: text } }] }, () => 'id')
  assert.deepEqual(inputOf(ofCall('{"a":1}')[0]!), { a: 1 })
  for (const broken of ['{"a":', '[]', '1', 'null', '{}}']) {
    assert.throws(
      () => inputOf(ofCall(broken)[0]!),
      (error) => error instanceof Failure && error.kind === 'upstream_failed',
    )
  }
})

test('however a message is cut into chunks, its parts are those of the whole', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue())
  const message = fc.record({
    reasoning: fc.string(),
    content: fc.string(),
    calls: fc.array(json, { maxLength: 4 }),
  })
  fc.assert(
    fc.property(message, fc.infiniteStream(fc.nat()), (made, random) => {
      const next = (most: number) => random.next().value % most
      const whole = {
        reasoning: made.reasoning,
        content: made.content,
        tool_calls: made.calls.map((args, i) => ({
          id: `c${i}`,
          function: { name: `f${i}`, arguments: JSON.stringify(args) },
        })),
      }
      let ids = 0
      const expected = wholeParts(whole, () => `id${ids++}`)
      const { parts } = told(cutUp(whole, next))
      assert.deepEqual(
        parts,
        expected.map(({ kind, name, text }) => ({ kind, name, text })),
      )
    }),
  )
})

/** Reasoning, then text, each in pieces; then the calls in pieces that are mixed at random. */
function cutUp(
  message: { reasoning: string; content: string; tool_calls: { id: string; function: Fields }[] },
  next: (most: number) => number,
): Fields[] {
  const deltas: Fields[] = [
    ...cut(message.reasoning, next).map((reasoning) => ({ reasoning })),
    ...cut(message.content, next).map((content) => ({ content })),
    ...message.tool_calls.map(({ id, function: { name } }, i) =>
      call(i, '', { id, name: name as string }),
    ),
  ]
  const waiting = message.tool_calls.map((one, i) =>
    cut(one.function.arguments as string, next).map((text) => call(i, text)),
  )
  for (;;) {
    const left = waiting.filter((pieces) => pieces.length > 0)
    if (left.length === 0) return deltas
    deltas.push(left[next(left.length)]!.shift()!)
  }
}

function cut(text: string, next: (most: number) => number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const size = 1 + next(5)
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}
