import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGlutton, type Glutton } from './glutton.ts'
import { worth } from './models.ts'
import { brokenPromises, type Reckoned } from './reckoning.ts'
import { openPulse } from './pulse.ts'
import { openTally, sumOf, tagText, type Cost } from './tally.ts'

const ONE = 1_000_000n

describe("the upstream's books", () => {
  const tally = openTally(openPulse())
  let glutton: Glutton
  before(async () => {
    glutton = await startGlutton(tally)
  })
  after(() => glutton.close())

  const ask = (nth: number, more: object, signal?: AbortSignal) =>
    fetch(`${glutton.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'mlafi/wastani',
        messages: [{ role: 'user', content: tagText({ nth, round: 1, strategy: 'a test' }) }],
        ...more,
      }),
      ...(signal === undefined ? {} : { signal }),
    })

  it('a whole answer costs what it reports, in text that has a token in every byte', async () => {
    const answer = await ask(1, { max_tokens: 100 })
    const { usage, choices } = (await answer.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number }
      choices: { message: { content: string } }[]
    }
    assert.equal(usage.completion_tokens, 100)
    assert.equal(Buffer.byteLength(choices[0]!.message.content), 100)
    const cost = worth(usage.prompt_tokens, 2.5) + worth(100, 10)
    assert.deepEqual(sumOf(tally.ofThief(1)), { micro: cost, calls: 1, left: 0, leftMicro: 0n })
  })

  it('a stream that is left has cost what was said until then', async () => {
    const hangUp = new AbortController()
    const answer = await ask(2, { stream: true }, hangUp.signal)
    await answer.body!.getReader().read()
    hangUp.abort()
    for (let tries = 0; tries < 500 && sumOf(tally.ofThief(2)).left === 0; tries++) await sleep(10)
    const { micro, left, leftMicro } = sumOf(tally.ofThief(2))
    assert.equal(left, 1)
    assert.equal(leftMicro, micro)
    assert.ok(micro > 0n && micro < worth(16_384, 10), `${micro}`)
  })

  it('numbers hidden in any field are a token each', async () => {
    const prompt = async (more: object) => {
      const answer = await ask(3, { max_tokens: 1, ...more })
      return ((await answer.json()) as { usage: { prompt_tokens: number } }).usage.prompt_tokens
    }
    const more = (await prompt({ deep: [{ er: '7'.repeat(5_000) }] })) - (await prompt({}))
    assert.ok(more >= 5_000, `${more}`)
  })
})

describe('the reckoning', () => {
  const reckoned = (paid: bigint, cost: Partial<Cost>, strategy = 'a test'): Reckoned => {
    const whole = { micro: 0n, calls: 1, left: 0, leftMicro: 0n, ...cost }
    return {
      nth: 7,
      toppedUp: false,
      paidMicro: paid,
      unpaidMicro: 0n,
      uncollectedMicro: 0n,
      underWayMicro: 0n,
      unknownMicro: 0n,
      cost: whole,
      costs: new Map([[strategy, whole]]),
    }
  }

  it('allows a tenth of what was paid and the cap, and not a microcredit more', () => {
    assert.deepEqual(brokenPromises([reckoned(100n * ONE, { micro: 120n * ONE })]), [])
    const [broken] = brokenPromises([reckoned(100n * ONE, { micro: 120n * ONE + 1n })])
    assert.match(broken!, /thief 7 paid 100 and cost 120: 20 lost where 20 may be, .*\(a test: 1 /)
  })

  it('allows what was left unpaid, up to its own limit', () => {
    const left = (micro: bigint, strategy = 'streams left at the finish') =>
      reckoned(0n, { micro, left: 1, leftMicro: micro }, strategy)
    assert.deepEqual(brokenPromises([left(110n * ONE)]), [])
    assert.equal(brokenPromises([left(110n * ONE + 1n)]).length, 1)
    // What the gateway broke off was not left by anybody.
    assert.equal(brokenPromises([left(11n * ONE, 'parallel calls')]).length, 1)
  })

  it('takes as left what the service counted, if the upstream had ended before it heard', () => {
    const unheard = { ...reckoned(0n, { micro: 16n * ONE }), unpaidMicro: 6n * ONE }
    assert.deepEqual(brokenPromises([unheard]), [])
    assert.equal(brokenPromises([{ ...unheard, unpaidMicro: 5n * ONE }]).length, 1)
    const much = { ...reckoned(0n, { micro: 110n * ONE + 1n }), unpaidMicro: 200n * ONE }
    assert.equal(brokenPromises([much]).length, 1)
  })

  it('allows what could not be collected, in the same allowance', () => {
    const both = { ...reckoned(0n, { micro: 110n * ONE }), uncollectedMicro: 60n * ONE }
    assert.deepEqual(brokenPromises([{ ...both, unpaidMicro: 40n * ONE }]), [])
    const more = { ...reckoned(0n, { micro: 130n * ONE }), uncollectedMicro: 60n * ONE }
    assert.equal(brokenPromises([{ ...more, unpaidMicro: 60n * ONE }]).length, 1)
    const underWay = { ...more, unpaidMicro: 60n * ONE, underWayMicro: 20n * ONE }
    assert.deepEqual(brokenPromises([underWay]), [])
    const collected = { ...more, uncollectedMicro: 120n * ONE, underWayMicro: 20n * ONE }
    assert.equal(brokenPromises([collected]).length, 1)
  })
})
