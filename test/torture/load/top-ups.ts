import { setTimeout as sleep } from 'node:timers/promises'
import { callSome, seenCallOf, type Load } from './player.ts'

/** The amount chooses what the simulated provider does; see simulator/money/outcomes.ts. */
const AMOUNTS = [1_000, 1_001, 1_002, 1_004, 1_005, 1_007, 1_008, 1_009, 1_011, 1_012, 1_014, 1_016]
const MORE = [1_017, 1_018, 1_019, 2_500, 5_000]

/** Keyed top-ups, repeated when the answer was lost: each gives one payment, one push, one credit. */
export const topUpLoad: Load = {
  name: 'topup',
  weight: 2,
  async play(player) {
    const { random, history } = player
    const person = random.pick(player.people)
    const idempotencyKey = `topup-${player.mark()}`
    const body = { amount_tzs: random.pick([...AMOUNTS, ...MORE]) }
    for (let tries = 0; tries < 6; tries++) {
      const answer = await callSome(player, {
        endpoint: 'POST /v1/payments/topup',
        token: person.token,
        headers: { 'idempotency-key': idempotencyKey },
        body,
      })
      const text = answer.status === 201 ? answer.text : undefined
      history.add({ ...seenCallOf('topup', person, answer), idempotencyKey, text, stages: 0 })
      if (answer.whole && answer.status < 500 && answer.status !== 409) return
      await sleep(random.between(100, 900))
    }
  },
}
