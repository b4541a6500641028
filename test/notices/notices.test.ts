import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { createBalanceWatch, crossings } from '../../src/notices/low-balance.ts'
import { notificationsOf, readNotification, notify } from '../../src/notices/notices.ts'
import { DEFAULT_PREFERENCES } from '../../src/notices/preferences-store.ts'
import { changePreferences, preferencesOf } from '../../src/notices/preferences.ts'
import { withDatabase } from '../support/databases.ts'
import { insertPerson } from '../support/people.ts'

const outboxOf = (db: Db, accountId: string) =>
  db.query<{ channel: string; recipient: string; subject: string; body: string }>(
    'select channel, recipient, subject, body from outbox where account_id = $1 order by created_at, channel',
    [accountId],
  )

const page = (accountId: string, unread?: boolean) => ({ accountId, unread, limit: 50, offset: 0 })
const payment = { payment_id: 'p', amount_tzs: 5000, credits: 5000 }

let numbered = 0
const address = () => ({
  email: `asha${(numbered += 1)}@example.com`,
  phone: `+25571200${String(1000 + numbered)}`,
})

withDatabase('notices', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  it('writes the notification, the email and the SMS in the language of the account', async () => {
    const at = address()
    const accountId = await insertPerson(db, { ...at, locale: 'en' })
    await db.begin((tx) => notify(tx, { accountId, type: 'payment.completed', data: payment }))
    const { notifications, total, unreadCount } = await notificationsOf(db, page(accountId))
    assert.deepEqual([total, unreadCount], [1, 1])
    assert.equal(notifications[0]?.title, 'Payment received')
    assert.deepEqual(notifications[0]?.data, payment)
    const messages = await outboxOf(db, accountId)
    assert.deepEqual(
      messages.map(({ channel, recipient }) => [channel, recipient]),
      [
        ['email', at.email],
        ['sms', at.phone],
      ],
    )
    assert.match(messages[0]!.body, /^Hello,\n\nWe have received your payment of TZS 5,000 /)

    const swahili = await insertPerson(db, address())
    await notify(db, { accountId: swahili, type: 'payment.completed', data: payment })
    const email = (await outboxOf(db, swahili)).find(({ channel }) => channel === 'email')
    assert.match(email!.body, /^Habari,\n\nTumepokea malipo yako ya TSh 5,000 /)
  })

  it('is rolled back with what it is about', async () => {
    const accountId = await insertPerson(db, address())
    const doomed = db.begin(async (tx) => {
      await notify(tx, { accountId, type: 'security.password_changed', data: {} })
      throw new Error('rolled back')
    })
    await assert.rejects(doomed)
    assert.equal((await notificationsOf(db, page(accountId))).total, 0)
    assert.equal((await outboxOf(db, accountId)).length, 0)
  })

  it('writes to verified addresses only', async () => {
    const accountId = await insertPerson(db, { ...address(), verified: false })
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    assert.equal((await notificationsOf(db, page(accountId))).total, 1)
    assert.equal((await outboxOf(db, accountId)).length, 0)
  })

  it('writes to the verified number while a new one waits for its code', async () => {
    const at = address()
    const accountId = await insertPerson(db, { phone: at.phone })
    await db.query(
      `update accounts set phone_number = '+255754000000', phone_verified_at = null where id = $1`,
      [accountId],
    )
    await notify(db, { accountId, type: 'security.session_reuse', data: {} })
    assert.equal((await outboxOf(db, accountId))[0]?.recipient, at.phone)
  })

  it('sends nothing to a deleted account', async () => {
    const accountId = await insertPerson(db, address())
    await db.query('update accounts set deleted_at = now() where id = $1', [accountId])
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    assert.equal((await notificationsOf(db, page(accountId))).total, 0)
    assert.equal((await outboxOf(db, accountId)).length, 0)
  })

  it('follows the preferences, and keeps security on in one channel', async () => {
    const accountId = await insertPerson(db, address())
    assert.deepEqual(await preferencesOf(db, accountId), DEFAULT_PREFERENCES)
    await changePreferences(db, accountId, { sms: { security: false } })
    const both = await changePreferences(db, accountId, { email: { payments: false } })
    assert.deepEqual(both, {
      email: { payments: false, usage: true, security: true },
      sms: { payments: true, usage: false, security: false },
    })
    const refused = changePreferences(db, accountId, { email: { security: false } })
    await assert.rejects(refused, { kind: 'invalid' })
    assert.deepEqual(await preferencesOf(db, accountId), both)
    await notify(db, { accountId, type: 'payment.completed', data: payment })
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    const channels = (await outboxOf(db, accountId)).map(({ channel }) => channel)
    assert.deepEqual(channels, ['email', 'sms'])
  })

  it('refuses a first change that would silence security', async () => {
    const accountId = await insertPerson(db, address())
    const silent = { email: { security: false }, sms: { security: false } }
    await assert.rejects(changePreferences(db, accountId, silent), { kind: 'invalid' })
    assert.deepEqual(await preferencesOf(db, accountId), DEFAULT_PREFERENCES)
  })

  it('lists newest first, filters, and reads once', async () => {
    const accountId = await insertPerson(db)
    for (const name of ['one', 'two', 'three']) {
      const data = { video_id: name, model: 'm' }
      await notify(db, { accountId, type: 'video.completed', data })
      await new Promise((wake) => setTimeout(wake, 2))
    }
    const listed = await notificationsOf(db, page(accountId))
    assert.deepEqual(
      listed.notifications.map(({ data }) => data.video_id),
      ['three', 'two', 'one'],
    )
    const id = listed.notifications[0]!.id
    const read = await readNotification(db, { accountId, id })
    const again = await readNotification(db, { accountId, id })
    assert.deepEqual(again.readAt, read.readAt)
    const unread = await notificationsOf(db, page(accountId, true))
    assert.deepEqual([unread.total, unread.unreadCount], [2, 2])
    assert.equal((await notificationsOf(db, page(accountId, false))).total, 1)
    const second = await notificationsOf(db, { ...page(accountId), limit: 1, offset: 1 })
    assert.equal(second.notifications[0]?.data.video_id, 'two')
    for (const strange of [uuidv7(), 'nonsense']) {
      const lookup = readNotification(db, { accountId, id: strange })
      await assert.rejects(lookup, { kind: 'not_found' })
    }
    const stranger = readNotification(db, { accountId: uuidv7(), id })
    await assert.rejects(stranger, { kind: 'not_found' })
  })

  it('warns of a low balance once per crossing, across replicas', async () => {
    const accountId = await insertPerson(db, address())
    const make = () =>
      createBalanceWatch({ thresholdMicro: 20n, credits: Number, nowMs: () => now })
    let now = 1_000_000
    const [one, two] = [make(), make()]
    const note = (watch: typeof one, availableMicro: bigint, credited = false) =>
      db.begin((tx) => watch.noteBalances(tx, [{ accountId, availableMicro, credited }]))
    const warnings = async () => (await notificationsOf(db, page(accountId))).total
    await note(one, 25n)
    assert.equal(await warnings(), 0)
    for (const watch of [one, two, one]) await note(watch, 19n)
    assert.equal(await warnings(), 1)
    await note(one, 30n)
    await note(one, 19n)
    assert.equal(await warnings(), 1, 'a released hold is no top-up')
    await note(two, 15n, true)
    await note(two, 14n)
    assert.equal(await warnings(), 1, 'a top-up that stays below does not rearm it')
    await note(two, 100n, true)
    now += 61_000
    await note(one, 10n)
    assert.equal(await warnings(), 2)
  })

  it('costs no query when the balance is far above the threshold', async () => {
    const watch = createBalanceWatch({ thresholdMicro: 20n, credits: Number })
    let queries = 0
    const counted = (sql: string, params?: unknown[]) => {
      queries += 1
      return db.query(sql, params)
    }
    const counting = { query: counted, read: counted } as Db
    const accountId = await insertPerson(db)
    await watch.noteBalances(counting, [{ accountId, availableMicro: 1_000n }])
    assert.equal(queries, 0)
    await watch.noteBalances(counting, [{ accountId, availableMicro: 1n }])
    const first = queries
    assert.ok(first > 0)
    await watch.noteBalances(counting, [{ accountId, availableMicro: 1n }])
    assert.equal(queries, first, 'remembered for a while')
  })
})

describe('a batch of balances', () => {
  it('is judged by the last balance of each account', () => {
    const noted = crossings(
      [
        { accountId: 'a', availableMicro: 5n },
        { accountId: 'b', availableMicro: 5n },
        { accountId: 'a', availableMicro: 50n, credited: true },
        { accountId: 'c', availableMicro: 20n },
      ],
      20n,
    )
    assert.deepEqual([...noted.warn], [['b', 5n]])
    assert.deepEqual(noted.rearm, ['a'])
  })
})
