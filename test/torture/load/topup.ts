import { setTimeout as sleep } from 'node:timers/promises'
import { askSome, seenOf, type Load } from './player.ts'

/** The amount chooses what the pretended provider does; see simulator/money/outcomes.ts. */
const AMOUNTS = [1_000, 1_001, 1_002, 1_004, 1_005, 1_007, 1_008, 1_009, 1_011, 1_012, 1_014, 1_016]
const MORE = [1_017, 1_018, 1_019, 2_500, 5_000]

/** Keyed top-ups, asked again when their answer was lost: one payment each, one push, one credit. */
export const topUpLoad: Load = {
  name: 'topup',
  weight: 2,
  async play(player) {
    const { dice, history } = player
    const person = dice.pick(player.people)
    const idempotencyKey = `topup-${player.mark()}`
    const body = { amount_tzs: dice.pick([...AMOUNTS, ...MORE]) }
    for (let tries = 0; tries < 6; tries++) {
      const heard = await askSome(player, {
        line: 'POST /v1/payments/topup',
        token: person.token,
        headers: { 'idempotency-key': idempotencyKey },
        body,
      })
      const text = heard.status === 201 ? heard.text : undefined
      history.add({ ...seenOf('topup', person, heard), idempotencyKey, text, stages: 0 })
      if (heard.whole && heard.status < 500 && heard.status !== 409) return
      await sleep(dice.between(100, 900))
    }
  },
}
