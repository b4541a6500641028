import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withKnownChoice } from '../../../../src/gateway/chat/tools/tool-choice.ts'
import { Failure } from '../../../../src/lib/failure.ts'

const fn = (name: string) => ({ type: 'function', function: { name } })
const custom = (name: string) => ({ type: 'custom', custom: { name } })
const tools = [fn('f'), fn('g'), custom('h')]
const allowed = (mode: unknown, list: unknown) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: list },
})

test('only the tools that are allowed are sent', () => {
  const asked = (mode: string, ...list: object[]) => {
    const { tools: left, tool_choice: choice } = withKnownChoice({
      tools,
      tool_choice: allowed(mode, list),
    })
    return [left, choice]
  }
  assert.deepEqual(asked('auto', fn('g')), [[fn('g')], 'auto'])
  assert.deepEqual(asked('required', custom('h'), fn('f')), [[fn('f'), custom('h')], 'required'])
  assert.deepEqual(asked('auto', { type: 'function', name: 'g' }), [[fn('g')], 'auto'])
  assert.deepEqual(asked('auto', fn('x')), [tools, 'none'])
  assert.deepEqual(asked('auto', {}), [tools, 'none'])
  const none = withKnownChoice({ tools: null, tool_choice: allowed('auto', [fn('x')]) })
  assert.deepEqual([none.tools, none.tool_choice], [null, undefined])
})

test('a choice of a custom tool is that of its function; others stay as they are', () => {
  const forced = withKnownChoice({ tools, tool_choice: custom('h') })
  assert.deepEqual(forced.tool_choice, fn('h'))
  for (const choice of [undefined, null, 'auto', 'required', fn('f'), 7, [], { type: 'x' }]) {
    const body = { tools, tool_choice: choice }
    assert.equal(withKnownChoice(body), body)
  }
})

test('refused by name', () => {
  for (const [choice, param] of [
    [{ type: 'allowed_tools' }, 'tool_choice.allowed_tools.mode'],
    [allowed('none', []), 'tool_choice.allowed_tools.mode'],
    [allowed('auto', 'f'), 'tool_choice.allowed_tools.tools'],
    [allowed('required', [fn('x')]), 'tool_choice.allowed_tools.tools'],
    [allowed('required', [null]), 'tool_choice.allowed_tools.tools'],
    [{ type: 'custom' }, 'tool_choice.custom.name'],
  ] as const) {
    assert.throws(
      () => withKnownChoice({ tools, tool_choice: choice }),
      (error) => error instanceof Failure && error.kind === 'invalid' && error.param === param,
      JSON.stringify(choice),
    )
  }
})
