import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readBlocks, readInline } from '../../../console/src/parts/markdown-reader.ts'
import { growth, IN_PROPORTION } from '../../support/growth.ts'

test('blocks of a usual answer', () => {
  const text =
    '# Habari\n\nMstari mmoja\nna wa pili.\n\n- moja\n- mbili\n\n1. a\n2. b\n\n> nukuu\n\n```js\nx < 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |'
  assert.deepEqual(readBlocks(text), [
    { kind: 'heading', text: 'Habari' },
    { kind: 'text', text: 'Mstari mmoja\nna wa pili.' },
    { kind: 'list', ordered: false, items: ['moja', 'mbili'] },
    { kind: 'list', ordered: true, items: ['a', 'b'] },
    { kind: 'quote', text: 'nukuu' },
    { kind: 'code', text: 'x < 1' },
    {
      kind: 'table',
      rows: [
        ['a', 'b'],
        ['1', '2'],
      ],
    },
  ])
})

test('an answer that is still being written is read too', () => {
  assert.deepEqual(readBlocks('```\nx'), [{ kind: 'code', text: 'x' }])
  assert.deepEqual(readInline('**bado'), [{ kind: 'plain', text: '**bado' }])
})

test('only addresses of the web are links', () => {
  assert.deepEqual(readInline('[ona](https://example.com/a) https://example.com/b'), [
    { kind: 'link', text: 'ona', href: 'https://example.com/a' },
    { kind: 'plain', text: ' ' },
    { kind: 'link', text: 'https://example.com/b', href: 'https://example.com/b' },
  ])
  for (const hostile of [
    'javascript:alert`1`',
    'JaVaScRiPt:alert`1`',
    'data:text/html,<script>alert`1`</script>',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    'https:',
  ]) {
    const parts = readInline(`[x](${hostile})`)
    assert.ok(
      parts.every((part) => part.kind !== 'link'),
      hostile,
    )
  }
})

test('no letter is lost from a line, whatever it is', () => {
  const signs = fc.string({
    unit: fc.constantFrom('*', '`', '[', ']', '(', ')', 'a', ' ', 'https://a.b', '<', '_'),
  })
  fc.assert(
    fc.property(signs, (line) => {
      const bare = (text: string) => text.replaceAll(/[*`[\]()]/g, '')
      const shown = readInline(line)
        .map((part) =>
          part.kind === 'link' && part.text !== part.href ? part.text + part.href : part.text,
        )
        .join('')
      assert.equal(bare(shown), bare(line))
    }),
  )
})

test('a hostile text takes time in proportion to its length', () => {
  for (const piece of ['*', '[', '`', '[x](', 'https://', '**a', '| ', '> ', '```\n', '\n- ']) {
    const times = growth((length) => {
      for (const block of readBlocks(piece.repeat(length / piece.length))) {
        if ('text' in block) readInline(block.text)
      }
    }, 25_000)
    assert.ok(times < IN_PROPORTION, `${JSON.stringify(piece)}: ${times}`)
  }
})
