import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CustomChunks, withCustomCalls } from '../../../../src/gateway/chat/tools/custom-calls.ts'
import { withFunctions } from '../../../../src/gateway/chat/tools/custom-tools.ts'
import { Failure } from '../../../../src/lib/failure.ts'
import { listOf, type Fields } from '../../../../src/lib/json.ts'

const user = { role: 'user', content: 'x' }
const fn = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
const patch = {
  type: 'custom',
  custom: {
    name: 'patch',
    description: 'Edits.',
    format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
  },
}
const CUSTOM = new Set(['patch'])

test('a custom tool is a function with one text, with its grammar in words', () => {
  const { body, custom } = withFunctions({ messages: [user], tools: [fn, patch] })
  assert.deepEqual([...custom], ['patch'])
  const [first, second] = body.tools as { function: Fields }[]
  assert.equal(first, fn)
  assert.equal(
    second!.function.description,
    'Edits.\n\nThe input must follow this lark grammar:\nstart: "x"',
  )
  assert.deepEqual((second!.function.parameters as Fields).required, ['input'])
})

test('calls of the past are those of the function; a chat without any is not touched', () => {
  const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'a "b"' } }
  const said = { role: 'assistant', content: null, tool_calls: [call] }
  const { body } = withFunctions({ messages: [user, said] })
  const made = { name: 'patch', arguments: '{"input":"a \\"b\\""}' }
  assert.deepEqual(body.messages[1], {
    ...said,
    tool_calls: [{ id: 'c', type: 'function', function: made }],
  })
  const plain = { messages: [user, null, 7, { tool_calls: 'x' }], tools: [fn, null, { type: 7 }] }
  assert.equal(withFunctions(plain).body, plain)
})

test('refused by name', () => {
  const calls = (call: object) => ({ messages: [{ tool_calls: [{ type: 'custom', ...call }] }] })
  for (const [body, param] of [
    [{ messages: [], tools: [{ type: 'custom' }] }, 'tools[0].custom.name'],
    [{ messages: [], tools: [{ type: 'custom', custom: { name: 7 } }] }, 'tools[0].custom.name'],
    [calls({}), 'messages[0].tool_calls[0].custom.name'],
    [calls({ custom: { name: 'a' } }), 'messages[0].tool_calls[0].custom.input'],
  ] as [{ messages: unknown[] }, string][]) {
    assert.throws(
      () => withFunctions(body),
      (error) => error instanceof Failure && error.kind === 'invalid' && error.param === param,
      param,
    )
  }
})

const call = (index: number, args: string, more: Fields = {}) => ({
  index,
  ...more,
  function: { ...(more.name === undefined ? {} : { name: more.name }), arguments: args },
})
const whole = (...calls: [string, string][]): Fields => ({
  choices: [
    {
      index: 0,
      message: {
        content: null,
        tool_calls: calls.map(([name, args], i) => ({
          id: `c${i}`,
          type: 'function',
          function: { name, arguments: args },
        })),
      },
    },
  ],
})

/** As SDKs join the pieces of calls: by index, texts appended. */
function joined(chunks: readonly string[]): Fields[] {
  const calls: Fields[] = []
  for (const { choices } of chunks.map((chunk) => JSON.parse(chunk) as Fields)) {
    for (const { delta } of listOf(choices) as { delta: Fields }[]) {
      for (const piece of listOf(delta.tool_calls) as Fields[]) {
        const at = Number(piece.index)
        calls[at] = append(calls[at] ?? {}, piece)
      }
    }
  }
  return calls
}

function append(to: Fields, piece: Fields): Fields {
  const made = { ...to }
  for (const [name, value] of Object.entries(piece)) {
    const before = made[name]
    if (typeof value === 'object') made[name] = append((before ?? {}) as Fields, value as Fields)
    else made[name] = typeof before === 'string' ? `${before}${value as string}` : value
  }
  return made
}

const chunk = (delta: Fields, finish: string | null = null) =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })

test('a stream tells the same calls as a whole answer, however it is cut', () => {
  const args = fc.record({ input: fc.string() }).map((made) => JSON.stringify(made))
  const made = fc.array(fc.tuple(fc.constantFrom('patch', 'f'), args), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(made, fc.integer({ min: 1, max: 9 }), fc.boolean(), (calls, size, mixed) => {
      const pieces = calls.map(([name, text], index) => [
        chunk({
          tool_calls: [{ ...call(index, '', { name }), id: `c${index}`, type: 'function' }],
        }),
        ...(text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []).map((part) =>
          chunk({ tool_calls: [call(index, part)] }),
        ),
      ])
      const longest = Math.max(...pieces.map((list) => list.length))
      const inTurn = Array.from({ length: longest }, (_, i) =>
        pieces.flatMap((list) => list.slice(i, i + 1)),
      )
      const chunks = new CustomChunks(CUSTOM)
      const told = chunks.write(mixed ? inTurn.flat() : pieces.flat())
      const last = chunks.write([chunk({ content: '' }, 'tool_calls'), '{"choices":[],"usage":{}}'])
      const [choice] = listOf(withCustomCalls(whole(...calls), CUSTOM).choices) as Fields[]
      const wanted = (choice!.message as Fields).tool_calls as Fields[]
      const found = joined([...told, ...last])
      const plain = found.map(({ index: _index, ...one }) => stripName(one))
      assert.deepEqual(plain, wanted)
      assert.match(last.at(-2)!, /"finish_reason":"tool_calls"/)
    }),
    { numRuns: 100 },
  )
})

/** The helper `call` writes the name beside the function too. */
function stripName({ name: _name, ...call }: Fields): Fields {
  return call
}

test('other chunks pass as they are', () => {
  const chunks = [chunk({ content: 'a' }), chunk({ tool_calls: [call(0, '{}', { name: 'f' })] })]
  assert.equal(new CustomChunks(new Set()).write(chunks), chunks)
  assert.deepEqual(new CustomChunks(CUSTOM).write(chunks), chunks)
  const text = new CustomChunks(CUSTOM).write([chunk({ content: '"tool_calls"' }, 'stop')])
  assert.deepEqual(text, [chunk({ content: '"tool_calls"' }, 'stop')])
})
