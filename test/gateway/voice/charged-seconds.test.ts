import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargedSeconds } from '../../../src/gateway/voice/plan-transcription.ts'

test('the longer of what was measured and what the upstream says is charged', () => {
  const told = (seconds?: number, durationS?: number) => ({
    usage: { kind: 'reported' as const, usage: { seconds } },
    durationS,
  })
  assert.equal(chargedSeconds(told(5, 4), 3), 5)
  assert.equal(chargedSeconds(told(2, 4), 3), 4)
  assert.equal(chargedSeconds(told(0, 0.01), 3), 3)
  assert.equal(chargedSeconds(told(), 3), 3)
  assert.equal(chargedSeconds(told(7), undefined), 7)
  assert.equal(
    chargedSeconds({ usage: { kind: 'absent' }, durationS: undefined }, undefined),
    undefined,
  )
})
