import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { NEW_RECORD } from '../../src/activity/activity-store.ts'
import { LEDGER_ROW_TYPES } from '../../src/ledger/ledger-write-store.ts'
import type { Db } from '../../src/db/db.ts'
import { binaryRows, type RowType } from '../../src/db/binary-rows.ts'
import { withDatabase } from '../support/databases.ts'

type Thing = {
  id?: string
  name?: string
  amount?: bigint | number
  good?: boolean
  at?: Date | null
}

const THING: RowType<Thing> = {
  name: 'thing',
  columns: [
    ['id', 'uuid', ({ id }) => id],
    ['name', 'text', ({ name }) => name],
    ['amount', 'int8', ({ amount }) => amount],
    ['good', 'bool', ({ good }) => good],
    ['at', 'timestamptz', ({ at }) => at],
  ],
}

const ID = '01927a3c-89ab-7def-8123-456789abcdef'
const NOTHING = { id: null, name: null, amount: null, good: null, at: null }

withDatabase('lists of rows', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script(
      'create type thing as (id uuid, name text, amount int8, good bool, at timestamptz)',
    )
  })

  const sent = (things: Thing[]) =>
    db.query('select * from unnest($1::thing[])', [binaryRows(THING, things)])

  test('arrive as they were sent', async () => {
    const at = new Date('2026-02-03T04:05:06.789Z')
    assert.deepEqual(await sent([{ id: ID, name: 'Chai', amount: 7n, good: true, at }, {}]), [
      { id: ID, name: 'Chai', amount: 7n, good: true, at },
      NOTHING,
    ])
  })

  test('may be none', async () => {
    assert.deepEqual(await sent([]), [])
  })

  test('keep their order, however many there are', async () => {
    const things = Array.from({ length: 5_000 }, (_, i) => ({
      amount: BigInt(i),
      name: 'x'.repeat(i % 90),
    }))
    const rows = await sent(things)
    assert.deepEqual(
      rows.map(({ amount, name }) => ({ amount, name })),
      things,
    )
  })

  test('have whole numbers of 64 bits, as numbers and as big integers', async () => {
    const amounts = [
      [0, 0n],
      [-1, -1n],
      [2 ** 32, 4_294_967_296n],
      [-(2 ** 32) - 1, -4_294_967_297n],
      [Number.MAX_SAFE_INTEGER, 9_007_199_254_740_991n],
      [Number.MIN_SAFE_INTEGER, -9_007_199_254_740_991n],
      [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
      [-9_223_372_036_854_775_808n, -9_223_372_036_854_775_808n],
    ] as const
    const rows = await sent(amounts.map(([amount]) => ({ amount })))
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      amounts.map(([, amount]) => amount),
    )
  })

  test('have texts of any letters', async () => {
    const names = ['', 'null', '{"a,b"}', '\\x', '\t\n"', 'Ndiyo, ñ – 要 😀', 'é'.repeat(70_000)]
    const rows = await sent(names.map((name) => ({ name })))
    assert.deepEqual(
      rows.map(({ name }) => name),
      names,
    )
  })

  test('have times before and after the year 2000', async () => {
    const times = [
      '1969-12-31T23:59:59.001Z',
      '2000-01-01T00:00:00.000Z',
      '2199-06-07T08:09:10.011Z',
    ]
    const rows = await sent(times.map((time) => ({ at: new Date(time) })))
    assert.deepEqual(
      rows.map(({ at }) => (at as Date).toISOString()),
      times,
    )
  })

  test('have UUIDs in capital letters too', async () => {
    const rows = await sent([{ id: ID.toUpperCase(), good: false }])
    assert.deepEqual(rows, [{ ...NOTHING, id: ID, good: false }])
  })

  const REFUSED: [name: string, thing: Thing, message: string][] = [
    ['a number that is too large', { amount: 2n ** 63n }, 'amount must fit into 64 bits'],
    ['a number that is too small', { amount: -(2n ** 63n) - 1n }, 'amount must fit into 64 bits'],
    ['a fraction', { amount: 0.5 }, 'amount must be a whole number'],
    ['a number that is not exact', { amount: 2 ** 53 }, 'amount must be a whole number'],
    ['no number', { amount: Number.NaN }, 'amount must be a whole number'],
    ['no time', { at: new Date(Number.NaN) }, 'at must be a whole number'],
    ['a UUID that is too short', { id: ID.slice(1) }, 'id must be a UUID'],
    ['a UUID that is too long', { id: `${ID}0` }, 'id must be a UUID'],
    ['a UUID with another letter', { id: ID.replace('a', 'g') }, 'id must be a UUID'],
    ['a UUID with a letter beyond ASCII', { id: ID.replace('0', 'é') }, 'id must be a UUID'],
  ]
  for (const [name, thing, message] of REFUSED) {
    test(`are refused with ${name}`, async () => {
      assert.throws(() => binaryRows(THING, [thing]), { message })
      assert.deepEqual(await sent([{ name: 'after' }]), [{ ...NOTHING, name: 'after' }])
    })
  }

  for (const { name, columns } of [NEW_RECORD, ...LEDGER_ROW_TYPES]) {
    test(`the type ${name} has the columns that are sent`, async () => {
      const rows = await db.query(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
         where attrelid = (select typrelid from pg_type where typname = $1) and attnum > 0
         order by attnum`,
        [name],
      )
      const types = { uuid: 'uuid', text: 'text', int8: 'bigint', bool: 'boolean' }
      const full = { ...types, timestamptz: 'timestamp with time zone' }
      assert.deepEqual(
        rows,
        columns.map(([column, type]) => ({ name: column, type: full[type] })),
      )
    })
  }
})
