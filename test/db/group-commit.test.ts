import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CommitMode, Db, Tx } from '../../src/db/db.ts'
import { groupCommit } from '../../src/db/group-commit.ts'
import { Failure } from '../../src/lib/failure.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('group commit', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table paper (n int8 primary key)')
  })

  let batches: number[] = []
  async function insert(tx: Tx, items: bigint[]): Promise<bigint[]> {
    batches.push(items.length)
    await tx.query('insert into paper select unnest($1::int8[])', [items])
    return items.map((item) => item * 2n)
  }
  const range = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => BigInt(from + i))

  test('each caller gets its own result, and many share a transaction', async () => {
    batches = []
    const commits = groupCommit({ db, apply: insert })
    const items = range(0, 300)
    const results = await Promise.all(items.map((item) => commits.submit(item)))
    assert.deepEqual(
      results,
      items.map((item) => item * 2n),
    )
    assert(batches.length <= 3, `300 items took ${batches.length} transactions`)
    const [row] = await db.query('select count(*) as n from paper')
    assert.deepEqual(row, { n: 300n })
  })

  test('a batch is never larger than its limit', async () => {
    batches = []
    const commits = groupCommit({ db, apply: insert, maxBatch: 10 })
    await Promise.all(range(1_000, 55).map((item) => commits.submit(item)))
    assert.equal(
      batches.reduce((sum, size) => sum + size, 0),
      55,
    )
    assert(Math.max(...batches) <= 10)
  })

  test('one bad item fails alone', async () => {
    const commits = groupCommit({ db, apply: insert })
    const items = [...range(2_000, 5), 2_000n, ...range(2_010, 5)]
    const results = await Promise.allSettled(items.map((item) => commits.submit(item)))
    const failed = results.flatMap((result, i) => (result.status === 'rejected' ? [i] : []))
    assert.equal(failed.length, 1)
    const rows = await db.query('select n from paper where n between 2000 and 2100')
    assert.equal(rows.length, 10)
    assert.equal(await commits.submit(2_050n), 4_100n)
  })

  test('an answer that does not fit the batch commits nothing', async () => {
    const commits = groupCommit<bigint, bigint>({
      db,
      async apply(tx, items) {
        await insert(tx, items)
        return []
      },
    })
    await assert.rejects(commits.submit(3_000n), /one result per item/)
    assert.deepEqual(await db.query('select n from paper where n = 3000'), [])
  })

  test('too many waiting callers are told to come back', async () => {
    const commits = groupCommit({ db, apply: insert, maxBatch: 1, maxWaiting: 5 })
    const results = await Promise.allSettled(range(4_000, 20).map((item) => commits.submit(item)))
    const refused = results.filter((result) => result.status === 'rejected')
    assert(refused.length > 0 && refused.length <= 15)
    for (const { reason } of refused) {
      assert(reason instanceof Failure && reason.kind === 'unavailable' && reason.retryAfterS === 2)
    }
  })

  test('from inside a transaction it is an error at once, not a wait for ever', async () => {
    const commits = groupCommit({ db, apply: insert })
    const inside = db.begin(async () => commits.submit(5_000n))
    await assert.rejects(inside, /outer database handle/)
  })

  test('what is submitted in one run of promises goes together, before the turn ends', async () => {
    const seen: string[] = []
    const commits = groupCommit({
      db,
      attempt: async (items: bigint[]) => {
        seen.push(`${items.length} items`)
        return items
      },
      apply: insert,
    })
    const turn = new Promise((ended) => setImmediate(ended)).then(() => seen.push('turn'))
    const later = async (steps: number) => {
      for (let step = 0; step < steps; step++) await Promise.resolve()
      return commits.submit(BigInt(steps))
    }
    await Promise.all([later(0), later(1), later(9), turn])
    assert.deepEqual(seen, ['3 items', 'turn'])
  })

  test('idle resolves when everything is committed', async () => {
    const commits = groupCommit({ db, apply: insert })
    await commits.idle()
    const items = range(6_000, 20).map((item) => commits.submit(item))
    await commits.idle()
    const rows = await db.query('select n from paper where n between 6000 and 6100')
    assert.equal(rows.length, 20)
    await Promise.all(items)
  })
})

withDatabase('a group commit with two modes', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table step (rows text, n int8, seq int8 generated always as identity)')
  })

  type Item = { rows: string; n: number; mode: CommitMode }
  async function insert(tx: Tx, items: Item[]): Promise<number[]> {
    await tx.query('insert into step (rows, n) select * from unnest($1::text[], $2::int8[])', [
      items.map(({ rows }) => rows),
      items.map(({ n }) => n),
    ])
    return items.map(({ n }) => n)
  }
  const modes = { mode: ({ mode }: Item) => mode, rowsOf: ({ rows }: Item) => rows }

  test('items of one mode keep their order, and no two batches touch the same rows', async () => {
    const touched = new Set<string>()
    let most = 0
    const commits = groupCommit({
      db,
      ...modes,
      maxBatch: 7,
      async apply(tx, items: Item[]) {
        const names = new Set(items.map(({ rows }) => rows))
        for (const name of names) assert.ok(!touched.has(name), `${name} is in two batches`)
        for (const name of names) touched.add(name)
        most = Math.max(most, touched.size - names.size)
        const results = await insert(tx, items)
        for (const name of names) touched.delete(name)
        return results
      },
    })
    const items = Array.from({ length: 200 }, (_, n): Item => {
      return { rows: `rows ${n % 10}`, n, mode: n % 3 === 0 ? 'visible' : 'durable' }
    })
    const results = await Promise.all(items.map((item) => commits.submit(item)))
    assert.deepEqual(
      results,
      items.map(({ n }) => n),
    )
    await commits.idle()
    const rows = await db.query<{ rows: string; ns: bigint[] }>(
      'select rows, array_agg(n order by seq) as ns from step group by rows, n % 3 = 0',
    )
    assert.equal(rows.length, 20)
    for (const { ns } of rows) {
      assert.deepEqual(
        ns,
        [...ns].sort((a, b) => Number(a - b)),
      )
    }
    assert.ok(most > 0, 'transactions ran side by side')
  })

  test('what need not wait for the disk waits for a charge of the same rows only', async () => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const commits = groupCommit({
      db,
      ...modes,
      async apply(tx, items: Item[]) {
        if (items.some(({ mode }) => mode === 'durable')) {
          entered.resolve()
          await gate.promise
        }
        return insert(tx, items)
      },
    })
    const charge = commits.submit({ rows: 'a', n: 1_000, mode: 'durable' })
    await entered.promise
    let done = false
    const same = commits.submit({ rows: 'a', n: 1_001, mode: 'visible' }).then((n) => {
      done = true
      return n
    })
    assert.equal(await commits.submit({ rows: 'b', n: 1_002, mode: 'visible' }), 1_002)
    assert.equal(await commits.submit({ rows: 'c', n: 1_003, mode: 'visible' }), 1_003)
    assert.equal(done, false)
    gate.resolve()
    assert.deepEqual(await Promise.all([charge, same]), [1_000, 1_001])
    await commits.idle()
  })
})
