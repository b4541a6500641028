import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { batchPerTick } from '../../src/lib/clock.ts'

describe('batchPerTick', () => {
  it('acts on all items of a turn, in their order, and not before its end', async () => {
    const done: number[] = []
    const add = batchPerTick((item: number) => done.push(item))
    add(1)
    await Promise.resolve()
    add(2)
    assert.deepEqual(done, [])
    await nextTurn()
    assert.deepEqual(done, [1, 2])
  })

  it('leaves what an item adds to the next turn', async () => {
    const done: number[] = []
    const add = batchPerTick((item: number) => {
      done.push(item)
      if (item < 3) add(item + 1)
    })
    add(1)
    await nextTurn()
    assert.deepEqual(done, [1])
    await nextTurn()
    await nextTurn()
    assert.deepEqual(done, [1, 2, 3])
  })

  it('leaves what is too much for one turn to those after it, in order', async () => {
    const done: number[] = []
    const add = batchPerTick((item: number) => done.push(item))
    const items = Array.from({ length: 100 }, (_, i) => i)
    for (const item of items) add(item)
    const turns: number[] = []
    while (done.length < 100) {
      await nextTurn()
      turns.push(done.length)
    }
    assert.deepEqual(done, items)
    assert.ok(turns.length > 1 && turns[0]! < 100, String(turns))
  })

  it('acts on the items after one that throws', () => {
    const script = `
      import { batchPerTick } from '${new URL('../../src/lib/clock.ts', import.meta.url).href}'
      process.on('uncaughtException', (error) => console.log(error.message))
      const add = batchPerTick((item) => {
        if (item === 2) throw new Error('two')
        console.log(item)
      })
      for (const item of [1, 2, 3, 4]) add(item)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script])
    assert.equal(String(stdout), '1\ntwo\n3\n4\n')
  })
})
