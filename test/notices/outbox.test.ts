import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { retryDelayMs } from '../../src/db/row-worker.ts'
import { createDeliveryWorker } from '../../src/notices/delivery-worker.ts'
import { notificationsOf, notify } from '../../src/notices/notices.ts'
import { openOutbox } from '../../src/notices/outbox.ts'
import {
  claimMessage,
  insertMessage,
  listMessages,
  markDead,
  markSent,
  reviveMessage,
  purgeMessages,
} from '../../src/notices/outbox-store.ts'
import { delivered, giveUp, tryLater } from '../../src/notices/sender.ts'
import type { Delivery, Message, MessageSender } from '../../src/notices/sender.ts'
import { freshDatabase, withDatabase } from '../support/databases.ts'
import { insertPerson } from '../support/people.ts'
import { ANYWHERE } from './sms-rules.ts'
import { openDatabase } from '../../src/db/database.ts'
import { eventually } from '../support/eventually.ts'

const newMessage = (id = uuidv7()) => ({
  id,
  channel: 'email' as const,
  to: 'asha@example.com',
  subject: 'Habari',
  text: 'namba 123456',
})

function recorder(answer: (message: Message) => Delivery | Promise<Delivery> = () => delivered) {
  const sent: Message[] = []
  const sender: MessageSender = {
    check: async () => ({ ok: true }),
    async send(message) {
      sent.push(message)
      return answer(message)
    },
    async close() {},
  }
  return { sent, sender }
}

const rowOf = async (db: Db, id: string) =>
  (await db.query('select * from outbox where id = $1', [id]))[0]!

const workerOf = (db: Db, sender: MessageSender) =>
  createDeliveryWorker({
    db,
    log: silentLog,
    channel: 'email',
    sender,
    random: () => 0.5,
    smsRules: ANYWHERE,
  })

const runNow = (worker: ReturnType<typeof workerOf>) => worker.run(new AbortController().signal)

withDatabase('the outbox', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  it('a notification says by which channels it has really gone out', async () => {
    const accountId = await insertPerson(db, { email: 'neema@example.com', phone: '+255712009999' })
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    const sentBy = async () => {
      const page = { accountId, unread: undefined, limit: 1, offset: 0 }
      return (await notificationsOf(db, page)).notifications[0]!.sentBy
    }
    assert.deepEqual(await sentBy(), [])
    await runNow(workerOf(db, recorder(() => tryLater('busy')).sender))
    assert.deepEqual(await sentBy(), [])
    await db.query('update outbox set next_try_at = now() where account_id = $1', [accountId])
    await runNow(workerOf(db, recorder().sender))
    assert.deepEqual(await sentBy(), ['email'])
    // The SMS still waits: it is none of the other tests'.
    await db.query('delete from outbox where account_id = $1', [accountId])
  })

  it('delivers what was committed, once, and erases its text', async () => {
    const message = newMessage()
    await db.begin(async (tx) => {
      await insertMessage(tx, message)
      await insertMessage(tx, message)
    })
    const { sent, sender } = recorder()
    await runNow(workerOf(db, sender))
    await runNow(workerOf(db, sender))
    assert.deepEqual(
      sent.map(({ id, text }) => ({ id, text })),
      [{ id: message.id, text: message.text }],
    )
    const row = await rowOf(db, message.id)
    assert.equal(row.state, 'sent')
    assert.deepEqual([row.subject, row.body, row.html], [null, null, null])
  })

  it('does not send what was rolled back', async () => {
    const doomed = db.begin(async (tx) => {
      await insertMessage(tx, newMessage())
      throw new Error('rolled back')
    })
    await assert.rejects(doomed, /rolled back/)
    const { sent, sender } = recorder()
    await runNow(workerOf(db, sender))
    assert.equal(sent.length, 0)
  })

  it('tries again later under the same id, and keeps the text until then', async () => {
    const message = newMessage()
    await insertMessage(db, message)
    const answers = [tryLater('smtp_451'), delivered]
    const { sent, sender } = recorder(() => answers.shift()!)
    const worker = workerOf(db, sender)
    await runNow(worker)
    await runNow(worker)
    assert.equal(sent.length, 1, 'not before its time')
    const row = await rowOf(db, message.id)
    assert.deepEqual([row.state, row.last_error, row.body], ['waiting', 'smtp_451', message.text])
    const waits = (row.next_try_at as Date).getTime() - Date.now()
    assert.ok(waits > 2_000 && waits < 6_500, `waits ${waits} ms`)
    await db.query('update outbox set next_try_at = now() where id = $1', [message.id])
    await runNow(worker)
    assert.deepEqual(
      sent.map(({ id }) => id),
      [message.id, message.id],
    )
    assert.equal((await rowOf(db, message.id)).state, 'sent')
  })

  it('sets aside what can never arrive, and sends it again on request', async () => {
    const message = newMessage()
    await insertMessage(db, message)
    await runNow(workerOf(db, recorder(() => giveUp('smtp_550')).sender))
    const [dead] = await listMessages(db, { state: 'dead', limit: 10 })
    assert.deepEqual([dead?.id, dead?.lastError, dead?.resendable], [message.id, 'smtp_550', true])
    assert.equal(await reviveMessage(db, message.id), true)
    assert.equal(await reviveMessage(db, message.id), false, 'only the dead are revived')
    const { sent, sender } = recorder()
    await runNow(workerOf(db, sender))
    assert.equal(sent[0]?.text, message.text)
  })

  it('sets a message aside after the last try', async () => {
    const message = newMessage()
    await insertMessage(db, message)
    await db.query('update outbox set attempts = 23 where id = $1', [message.id])
    await runNow(workerOf(db, recorder(() => tryLater('ECONNREFUSED')).sender))
    assert.equal((await rowOf(db, message.id)).state, 'dead')
  })

  it('drops and erases a code that has expired', async () => {
    const message = newMessage()
    await insertMessage(db, { ...message, expiresInS: 600 })
    await db.query(`update outbox set expires_at = now() - interval '1 second' where id = $1`, [
      message.id,
    ])
    const { sent, sender } = recorder()
    await runNow(workerOf(db, sender))
    assert.equal(sent.length, 0)
    const row = await rowOf(db, message.id)
    assert.deepEqual([row.state, row.last_error, row.body], ['dead', 'expired', null])
    assert.equal(await reviveMessage(db, message.id), false)
  })

  it('gives a message back when the process sending it dies, and ignores that process afterwards', async () => {
    const message = newMessage()
    await insertMessage(db, message)
    const claim = { channel: 'email' as const, leaseMs: 60_000 }
    const lost = await claimMessage(db, { ...claim, leaseId: uuidv7() })
    assert.equal(lost?.id, message.id)
    assert.equal(await claimMessage(db, { ...claim, leaseId: uuidv7() }), undefined)
    await db.query('update outbox set next_try_at = now() where id = $1', [message.id])
    const heir = await claimMessage(db, { ...claim, leaseId: uuidv7() })
    assert.equal(heir?.attempts, 2)
    await markDead(db, lost, 'stale')
    assert.equal((await rowOf(db, message.id)).state, 'waiting')
    await markSent(db, heir)
    assert.equal((await rowOf(db, message.id)).state, 'sent')
  })

  it('delivers in parallel, up to a limit', async () => {
    for (let n = 0; n < 12; n += 1) await insertMessage(db, newMessage())
    let now = 0
    let most = 0
    const { sent, sender } = recorder(async () => {
      most = Math.max(most, (now += 1))
      await new Promise((wake) => setTimeout(wake, 20))
      now -= 1
      return delivered
    })
    await runNow(workerOf(db, sender))
    assert.equal(sent.length, 12)
    assert.ok(most > 1 && most <= 4, `${most} at once`)
  })

  it('claims nothing new once it is stopped', async () => {
    await insertMessage(db, newMessage())
    const { sent, sender } = recorder()
    await workerOf(db, sender).run(AbortSignal.abort())
    assert.equal(sent.length, 0)
    await runNow(workerOf(db, sender))
    assert.equal(sent.length, 1)
  })

  it('deletes what was finished long ago', async () => {
    const old = newMessage()
    await insertMessage(db, old)
    await runNow(workerOf(db, recorder().sender))
    await db.query(`update outbox set finished_at = now() - interval '8 days' where id = $1`, [
      old.id,
    ])
    assert.equal(await purgeMessages(db, 100), 1)
    assert.equal((await db.query('select 1 from outbox where id = $1', [old.id])).length, 0)
  })

  it('wakes at once when a row is committed, and a slow channel does not delay the other', async () => {
    const smsSent = Promise.withResolvers<void>()
    const mail = recorder(() => smsSent.promise.then(() => delivered))
    const texts = recorder()
    const senders = { email: mail.sender, sms: texts.sender }
    const outbox = await openOutbox({ db, senders, log: silentLog, smsRules: ANYWHERE })
    const { jobs } = outbox
    assert.deepEqual(
      jobs.map(({ name }) => name),
      ['outbox-email', 'outbox-sms', 'sms-digests'],
    )
    await insertMessage(db, { ...newMessage(), channel: 'sms', to: '+255712345678' })
    await new Promise((wake) => setTimeout(wake, 50))
    assert.equal(texts.sent.length, 0, 'nothing is sent before the background jobs begin')
    const { signal } = new AbortController()
    await Promise.all(jobs.map((job) => job.run(signal)))
    assert.equal(texts.sent.length, 1)
    for (let n = 0; n < 6; n += 1) await insertMessage(db, newMessage())
    await insertMessage(db, { ...newMessage(), channel: 'sms', to: '+255712345678' })
    await eventually('the SMS is sent before any mail', () => texts.sent.length === 2)
    smsSent.resolve()
    await jobs[0]!.run(signal)
    assert.equal(mail.sent.length, 6)
    await outbox.close()
  })
})

it('two replicas that race deliver each message once', async () => {
  const url = await freshDatabase()
  const replicas = [1, 2].map(() => openDatabase({ url, poolSize: 6, log: silentLog }))
  const ids = Array.from({ length: 60 }, () => uuidv7())
  for (const id of ids) await insertMessage(replicas[0]!, newMessage(id))
  const deliveredIds: string[] = []
  const { sender } = recorder(async ({ id }) => {
    await new Promise((wake) => setTimeout(wake, 2))
    deliveredIds.push(id)
    return delivered
  })
  await Promise.all(replicas.map((db) => runNow(workerOf(db, sender))))
  assert.deepEqual(deliveredIds.sort(), ids.sort())
  for (const db of replicas) await db.close()
})

it('the delay between tries doubles up to an hour, give or take a quarter', () => {
  assert.equal(retryDelayMs(1, 0.5), 5_000)
  assert.equal(retryDelayMs(2, 0.5), 10_000)
  assert.equal(retryDelayMs(60, 0.5), 3_600_000)
  assert.equal(retryDelayMs(1, 0), 3_750)
  assert.equal(retryDelayMs(1, 1), 6_250)
})
