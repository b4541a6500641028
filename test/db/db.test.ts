import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommitMode, Db, Tx } from '../../src/db/db.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('database', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table box (id int8 primary key, note text); create index on box (note)')
  })

  test('types are read as they should be', async () => {
    const [row] = await db.query(
      `select 1::int8 as small, 9007199254740993 as large, 2::int4 as four, 1.50::numeric as exact,
        date '2026-02-01' as day, timestamptz '2026-02-01T00:00:00Z' as at, '{"a":[1]}'::jsonb as json,
        array[1, null]::int8[] as many, '\\xff00'::bytea as bytes, null as nothing, true as yes`,
    )
    assert.deepEqual(row, {
      small: 1n,
      large: 9007199254740993n,
      four: 2,
      exact: '1.50',
      day: '2026-02-01',
      at: new Date('2026-02-01T00:00:00Z'),
      json: { a: [1] },
      many: [1n, null],
      bytes: Buffer.from([255, 0]),
      nothing: null,
      yes: true,
    })
  })

  test('a commit that is only visible does not change how others are made', async () => {
    const mode = async (how?: CommitMode) => {
      const read = (tx: Tx) => tx.read('show synchronous_commit')
      return (await db.begin(read, how))[0]
    }
    assert.deepEqual(await mode('visible'), { synchronous_commit: 'off' })
    for (let i = 0; i < 10; i++) assert.deepEqual(await mode(), { synchronous_commit: 'on' })
    await db.begin((tx) => tx.query('insert into box values (-7)'), 'visible')
    assert.equal((await db.query('delete from box where id = -7 returning id')).length, 1)
  })

  test('parameters of every type arrive as they were given', async () => {
    const at = new Date('2026-02-01T10:00:00.123Z')
    const id = '0190a6f0-0000-7000-8000-000000000000'
    const odd = 'a"b\\c,{} \n Ā'
    const rows = await db.query(
      `select *, $6::bytea as bytes, $7::jsonb as json, $8::bool as yes
       from unnest($1::int8[], $2::text[], $3::timestamptz[], $4::uuid[], $5::bool[])
         as t (n, s, at, id, b)`,
      [
        [2n ** 62n, -1n],
        [odd, null],
        [at, null],
        [id, null],
        [true, null],
        Buffer.from('x\0y'),
      ].concat(['{"a":"b"}', true] as never[]),
    )
    const both = { bytes: Buffer.from('x\0y'), json: { a: 'b' }, yes: true }
    assert.deepEqual(rows, [
      { n: 2n ** 62n, s: odd, at, id, b: true, ...both },
      { n: -1n, s: null, at: null, id: null, b: null, ...both },
    ])
  })

  test('lists may hold anything that a list could trip over', async () => {
    const plain = ['', 'null', 'NULL', 'a,b', '{}', '"', '\\', ' ', 'é', "it's", null, '12']
    const odd = ['a\nb', '"\t\\', '{"k":"v \\ \n"}', '{"k":"\u2028"}', 'tembo 🐘 "mkubwa"', '\x7f"']
    const words = [...plain, ...odd]
    const [row] = await db.query(
      `select $1::text[] as words, $2::bytea[] as bytes, $3::bool[] as yes, $4::float8[] as real,
        $5::timestamptz[] as at`,
      [
        words,
        [Buffer.from([0, 255]), null],
        [true, false],
        [1.5, -2e-7],
        [new Date(1_760_000_000_123)],
      ],
    )
    assert.deepEqual(row, {
      words,
      bytes: [Buffer.from([0, 255]), null],
      yes: [true, false],
      real: [1.5, -2e-7],
      at: [new Date(1_760_000_000_123)],
    })
  })

  test('a transaction commits as a whole or not at all', async () => {
    await db.begin((tx) => tx.query('insert into box values ($1, $2)', [1n, 'kept']))
    const broken = db.begin(async (tx) => {
      await tx.query('insert into box values ($1, $2)', [2n, 'lost'])
      throw new Error('no')
    })
    await assert.rejects(broken, /^Error: no$/)
    assert.deepEqual(await db.query('select id from box'), [{ id: 1n }])
  })

  test('a swallowed SQL error cannot be committed', async () => {
    const swallowed = db.begin(async (tx) => {
      await tx.query('insert into box values (5, null)')
      await tx.query('insert into box values (5, null)').catch(() => {})
    })
    await assert.rejects(swallowed)
    assert.deepEqual(await db.query('select id from box where id = 5'), [])
  })

  test('the outer handle inside a transaction is an error at once', async () => {
    const uses: (() => Promise<unknown>)[] = [
      () => db.query('select 1'),
      () => db.script('select 1'),
      () => db.begin(async () => {}),
    ]
    for (const use of uses) {
      await assert.rejects(db.begin(use), /outer database handle/)
    }
    assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
  })

  test('work left running after its transaction may use the outer handle again', async () => {
    let later: Promise<unknown> | undefined
    const ended = Promise.withResolvers<void>()
    const askLater = async () => {
      await ended.promise
      return db.query('select 1 as one')
    }
    await db.begin(async () => {
      later = askLater()
    })
    ended.resolve()
    assert.deepEqual(await later, [{ one: 1 }])
  })

  test('a transaction is closed to those who keep it', async () => {
    const kept = await db.begin(async (tx) => ({ tx }))
    await assert.rejects(kept.tx.query('select 1'), /after its end/)
  })

  test('statements asked together run in their order, and the first error is thrown', async () => {
    const seen = await db.begin(async (tx) => {
      const [before, , after] = await Promise.all([
        tx.query('select count(*) as n from box where id = 70'),
        tx.query('insert into box values (70, null)'),
        tx.query('select count(*) as n from box where id = 70'),
      ])
      return [before[0]!.n, after[0]!.n]
    })
    assert.deepEqual(seen, [0n, 1n])
    const broken = db.begin((tx) =>
      Promise.all([
        tx.query('insert into box values (71, null)'),
        tx.query('insert into box values (70, null)'),
        tx.query('insert into box values (72, null)'),
      ]),
    )
    await assert.rejects(broken, { code: '23505' })
    assert.deepEqual(await db.query('select id from box where id > 70'), [])
  })

  test('what is sent for later is done in its order, and waited for with the commit', async () => {
    const [seen] = await db.begin(async (tx) => {
      assert.deepEqual(await tx.later.query('insert into box values (90, null) returning id'), [])
      await tx.later.script('insert into box values (91, null); insert into box values (92, null)')
      const rows = await tx.query('select count(*) as n from box where id in (90, 91, 92)')
      await tx.later.query('insert into box values (93, null)')
      return rows
    })
    assert.deepEqual(seen, { n: 3n })
    assert.deepEqual(await db.query('select id from box where id = 93'), [{ id: 93n }])
  })

  test('what is sent for later and fails takes the whole transaction with it', async () => {
    const broken = db.begin(async (tx) => {
      await tx.later.query('insert into box values (95, null)')
      await tx.later.query('insert into box values (95, null)')
      await tx.later.query('insert into box values (96, null)')
      return 'not to be believed'
    })
    await assert.rejects(broken, { code: '23505' })
    const failing = db.begin(async (tx) => {
      await tx.later.query('insert into box values (95, null), (95, null)')
      await tx.query('select 1')
    })
    await assert.rejects(failing, { code: '23505' })
    // Not even its words can be made.
    const unsaid = db.begin(async (tx) => {
      await tx.later.query('insert into box values (96, null)')
      const never = [new Date(NaN)]
      await tx.later.query('insert into box select 97 from unnest($1::timestamptz[])', [never])
    })
    await assert.rejects(unsaid)
    assert.deepEqual(await db.query('select id from box where id > 94'), [])
  })

  test('nothing can be sent for later once the end has begun', async () => {
    const kept = await db.begin(async (tx) => ({ tx }))
    await assert.rejects(kept.tx.later.query('insert into box values (98, null)'), /after its end/)
    assert.deepEqual(await db.query('select id from box where id = 98'), [])
  })

  test('what is left running in a transaction that failed writes nothing behind it', async () => {
    let straggler: Promise<unknown> | undefined
    const broken = db.begin((tx) => {
      straggler = tx.query('select 1').then(() => tx.query('insert into box values (80, null)'))
      straggler.catch(() => {})
      return tx.query('select 1').then(() => Promise.reject(new Error('no')))
    })
    await assert.rejects(broken, /^Error: no$/)
    await straggler?.catch(() => {})
    assert.deepEqual(await db.query('select id from box where id = 80'), [])
  })

  test('what still waits for BEGIN when a transaction fails is not sent', async () => {
    let waiting: Promise<unknown> | undefined
    const broken = db.begin((tx) => {
      waiting = tx.query('insert into box values (81, null)')
      waiting.catch(() => {})
      return Promise.reject(new Error('no'))
    })
    await assert.rejects(broken, /^Error: no$/)
    await assert.rejects(waiting!, /The transaction has failed/)
    assert.deepEqual(await db.query('select id from box where id = 81'), [])
  })

  test('a listener hears what commits, not what rolls back', async () => {
    const payloads: string[] = []
    await db.listen('news', (payload) => payloads.push(payload))
    await db.listen('news', () => payloads.push('second ear'))
    const undone = db.begin(async (tx) => {
      await tx.query(`select pg_notify('news', 'undone')`)
      throw new Error('no')
    })
    await assert.rejects(undone)
    await db.begin((tx) => tx.query(`select pg_notify('news', 'done')`))
    for (let i = 0; i < 100 && payloads.length < 2; i++) await sleep(10)
    assert.deepEqual(payloads.sort(), ['done', 'second ear'])
  })
})
