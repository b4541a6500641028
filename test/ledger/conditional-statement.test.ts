import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import {
  conditionalStatement,
  type StatementPart,
  type Precondition,
} from '../../src/ledger/conditional-statement.ts'
import { withDatabase } from '../support/databases.ts'

/** `may` is what the precondition says, `promised` what the postcondition asks for. */
type Given = { may: boolean; ids: number[]; promised: number }

const ALLOWED: Precondition<Given> = {
  table: 'allowed',
  text: (first) => `allowed as (select $${first}::bool as ok)`,
  values: [({ may }) => may],
}
const INSERT: StatementPart<Given> = {
  text: (first) => `
    added as (
      insert into things select unnest($${first}::int[]) where (select ok from preconditions_hold)
      returning id
    )`,
  values: [({ ids }) => ids, ({ promised }) => promised],
  postcondition: (first) =>
    `assert_postcondition(not ok or (select count(*) from added) = $${first + 1}::int, 'broken')`,
}
const NOTE: StatementPart<Given> = {
  text: (first) => `
    noted as (insert into notes select $${first}::int where (select ok from preconditions_hold))`,
  values: [({ ids }) => ids.length],
}
const ALL = { may: true, ids: [1, 2], promised: 2 }
const WRITTEN = { things: 2n, notes: 1n }
const NOTHING = { things: 0n, notes: 0n }

withDatabase('a conditional statement', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table things (id int); create table notes (count int)')
  })

  const CASES = [
    ['durable', ALL, 'written', WRITTEN],
    ['durable', { ...ALL, may: false }, 'not written', NOTHING],
    ['durable', { ...ALL, promised: 3 }, /broken/, NOTHING],
    ['visible', ALL, 'written', WRITTEN],
    ['visible', { ...ALL, may: false }, 'not written', NOTHING],
    ['visible', { ...ALL, promised: 3 }, /broken/, NOTHING],
    ['locked', ALL, 'written', WRITTEN],
    ['locked', { ...ALL, may: false }, /what was locked has changed/, NOTHING],
    ['locked', { ...ALL, promised: 3 }, /broken/, NOTHING],
  ] as const
  for (const [end, given, expected, rows] of CASES) {
    test(`${end}, ${JSON.stringify(given)}: ${expected}`, async () => {
      await db.script('truncate things, notes')
      const { text, values } = conditionalStatement<Given>(end, ALLOWED, [INSERT, NOTE])
      const written = { ...given, ids: [...given.ids] }
      const writing = db.query(
        text,
        values.map((valueOf) => valueOf(written)),
      )
      if (expected instanceof RegExp) await assert.rejects(writing, expected)
      else assert.equal((await writing).length, expected === 'written' ? 1 : 0)
      const counts = `select (select count(*) from things) as things, (select count(*) from notes) as notes`
      assert.deepEqual(await db.query(counts), [rows])
    })
  }

  test('numbers the parameters of its parts one after the other', () => {
    const { text, values } = conditionalStatement<Given>('durable', ALLOWED, [INSERT, NOTE])
    assert.deepEqual(text.match(/\$\d/g), ['$1', '$2', '$4', '$3'])
    assert.deepEqual(
      values.map((valueOf) => valueOf(ALL)),
      [true, [1, 2], 2, 2],
    )
  })
})
