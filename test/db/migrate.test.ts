import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Db } from '../../src/db/db.ts'
import { ForeignDatabaseError, migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../support/child.ts'
import { emptyDatabase, withDatabase } from '../support/databases.ts'

const folder = mkdtempSync(join(tmpdir(), 'mlango-migrations-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const url = pathToFileURL(`${folder}/`)
const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)

withDatabase('migrations', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })
  beforeEach(async () => {
    await db.script('drop table if exists one, two, three; delete from migrations')
    for (const name of ['0001-one', '0002-two', '0003-three']) {
      rmSync(join(folder, `${name}.sql`), { force: true })
    }
  })

  const numbers = async () =>
    (await db.query<{ number: number }>('select number from migrations order by 1')).map(
      (row) => row.number,
    )

  test('run once each, in order, and only the new ones later', async () => {
    write('0002-two.sql', '-- why\nalter table one add two int;')
    write('0001-one.sql', '-- why\ncreate table one (a int); insert into one values (1);')
    await migrate(db, silentLog, url)
    await migrate(db, silentLog, url)
    assert.deepEqual(await db.query('select a, two from one'), [{ a: 1, two: null }])
    write('0003-three.sql', '-- why\ncreate table three ();')
    await migrate(db, silentLog, url)
    assert.deepEqual(await numbers(), [1, 2, 3])
  })

  test('a file that was changed afterwards is refused by name', async () => {
    write('0001-one.sql', '-- why\ncreate table one (a int);')
    await migrate(db, silentLog, url)
    write('0001-one.sql', '-- why\ncreate table one (a text);')
    await assert.rejects(migrate(db, silentLog, url), /0001-one\.sql was changed/)
  })

  const note = (number: number, name: string) =>
    db.query(`insert into migrations (number, name, hash) values ($1, $2, 'of its text')`, [
      number,
      name,
    ])

  test('a database that was made by other files is refused and left alone', async () => {
    write('0001-one.sql', '-- why\ncreate table one (a int);')
    write('0003-three.sql', '-- why\ncreate table three ();')
    for (const other of ['0002-other.sql', '0003-other.sql']) {
      await db.query('delete from migrations')
      await note(1, '0001-one.sql')
      await note(Number(other.slice(0, 4)), other)
      await assert.rejects(migrate(db, silentLog, url), ForeignDatabaseError)
      assert.deepEqual(await db.query(`select to_regclass('three') as three`), [{ three: null }])
    }
  })

  test('a database that a later version has brought further is taken as it is', async () => {
    write('0001-one.sql', '-- why\ncreate table one (a int);')
    await note(9, '0009-later.sql')
    await migrate(db, silentLog, url)
    assert.deepEqual(await numbers(), [1, 9])
  })

  test('one that breaks leaves nothing behind', async () => {
    write('0001-one.sql', '-- why\ncreate table one (a int);')
    write('0002-two.sql', '-- why\ncreate table two (a int); select broken;')
    await assert.rejects(migrate(db, silentLog, url), /broken/)
    assert.deepEqual(await numbers(), [])
    assert.deepEqual(await db.query(`select to_regclass('one') as one`), [{ one: null }])
  })

  test('a wrong name, a number used twice and a file without a reason are refused', async () => {
    write('0001-one.sql', 'create table one ();')
    await assert.rejects(migrate(db, silentLog, url), /begin with a comment that says why/)
    write('0001-one.sql', '-- why\ncreate table one ();')
    renameSync(join(folder, '0001-one.sql'), join(folder, '1-one.sql'))
    await assert.rejects(migrate(db, silentLog, url), /1-one\.sql must have a name/)
    renameSync(join(folder, '1-one.sql'), join(folder, '0001-one.sql'))
    write('0001-two.sql', '-- why\n')
    await assert.rejects(migrate(db, silentLog, url), /have the number 1/)
    rmSync(join(folder, '0001-two.sql'))
  })
})

test('processes that start at once migrate once', async () => {
  const address = await emptyDatabase()
  const children = Array.from({ length: 3 }, () =>
    runChild('test/db/children/migrate-once.ts', [address]),
  )
  const lines = await Promise.all(children.map((child) => child.line()))
  assert.deepEqual(lines, ['migrated', 'migrated', 'migrated'])
  await Promise.all(children.map((child) => child.ended))
  const db = openDatabase({ url: address, poolSize: 2, log: silentLog })
  const [row] = await db.query<{ ok: boolean }>(
    'select count(*) > 1 and count(*) = count(distinct number) as ok from migrations',
  )
  await db.close()
  assert.deepEqual(row, { ok: true })
})
