import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleText } from '../../src/lib/visible-text.ts'

test('what nobody sees, and what turns text around, is left out', () => {
  const invisible = [
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u206f',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\ufeff',
    '\uffa0',
    '\ufffb',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e01ef}',
  ]
  for (const one of invisible) {
    const name = `U+${one.codePointAt(0)!.toString(16)}`
    assert.equal(visibleText(`As${one}ha`), 'Asha', name)
    assert.equal(visibleText(one), '', name)
  }
})

test('names of all scripts, and emoji with their joiners, stay as they are', () => {
  for (const name of ['Asha Juma', 'Zuhura Ng’wanakilala', 'عائشة', 'José', 'Jose\u0301', '李小龙'])
    assert.equal(visibleText(name), name)
  for (const emoji of ['👩🏽\u200d🚀', '❤\ufe0f\u200d🔥', '👨\u200d👩\u200d👧', '🇹🇿', '☀\ufe0f'])
    assert.equal(visibleText(`Duka ${emoji}`), `Duka ${emoji}`)
  // Nothing but an emoji is joined to one.
  assert.equal(visibleText('🚀\u200dAsha'), '🚀Asha')
})

test('a text that is too long for a name costs nothing', () => {
  const long = '\u200b'.repeat(4_000_000)
  assert.equal(visibleText(long), long)
})
