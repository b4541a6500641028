import assert from 'node:assert/strict'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { openTurns } from '../../src/db/in-turn.ts'

/** Work that ends when it is told to. `begun` has the names of what runs or has run. */
function bench(most: number) {
  const inTurn = openTurns(most)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const ask = (account: string, name: string) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    const done = inTurn(account, () => {
      begun.push(name)
      return end.promise
    })
    done.catch(() => {})
    return done
  }
  const end = async (name: string, error?: Error) => {
    if (error === undefined) ends.get(name)!.resolve()
    else ends.get(name)!.reject(error)
    await turnOfLoop()
  }
  return { ask, begun, end }
}

describe('large reads in turn', () => {
  it('are one at a time for each account, and so many in all', async () => {
    const { ask, begun, end } = bench(2)
    for (const nth of [1, 2, 3]) ask('greedy', `greedy ${nth}`)
    for (const name of ['asha', 'juma']) ask(name, name)
    await turnOfLoop()
    assert.deepEqual(begun, ['greedy 1', 'asha'])
    await end('asha')
    assert.deepEqual(begun.slice(2), ['juma'])
    await end('greedy 1')
    assert.deepEqual(begun.slice(3), ['greedy 2'])
  })

  it('of which one fails make room for the next, and give what they give', async () => {
    const { ask, begun, end } = bench(1)
    const first = ask('asha', 'first')
    ask('asha', 'second')
    await turnOfLoop()
    await end('first', new Error('broken'))
    await assert.rejects(first, /broken/)
    assert.deepEqual(begun, ['first', 'second'])
    assert.equal(await openTurns(1)('asha', async () => 7), 7)
  })
})
