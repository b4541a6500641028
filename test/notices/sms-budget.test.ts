import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createDeliveryWorker } from '../../src/notices/delivery-worker.ts'
import { notify } from '../../src/notices/notices.ts'
import { insertMessage, listMessages } from '../../src/notices/outbox-store.ts'
import { delivered, tryLater } from '../../src/notices/sender.ts'
import type { Delivery, Message } from '../../src/notices/sender.ts'
import { digestJob } from '../../src/notices/sms-budget.ts'
import { withDatabase } from '../support/databases.ts'
import { insertPerson } from '../support/people.ts'
import { ANYWHERE } from './sms-rules.ts'

const FOUR = { ...ANYWHERE, noticesPerDay: 4 }
const payment = { payment_id: 'p', amount_tzs: 5000 }

let numbered = 0
const freshPhone = () => `+25571300${String(1000 + (numbered += 1))}`

withDatabase('what SMS may cost', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  /** Someone with a phone alone, who is told of these things. */
  const told = async (security: number, payments: number, locale: 'en' | 'sw' = 'en') => {
    const phone = freshPhone()
    const accountId = await insertPerson(db, { phone, locale })
    for (let n = 0; n < payments; n++) {
      await notify(db, { accountId, type: 'payment.failed', data: payment })
    }
    for (let n = 0; n < security; n++) {
      await notify(db, { accountId, type: 'security.password_changed', data: {} })
    }
    return { accountId, phone }
  }
  const sentWith = async (rules = FOUR, answer: () => Delivery = () => delivered) => {
    const sent: Message[] = []
    const sender = {
      send: async (message: Message) => (sent.push(message), answer()),
      check: async () => delivered,
      close: async () => {},
    }
    const worker = () =>
      createDeliveryWorker({
        db,
        log: silentLog,
        channel: 'sms',
        sender,
        random: () => 0.5,
        smsRules: rules,
      }).run(new AbortController().signal)
    await Promise.all([worker(), worker(), worker()])
    return sent
  }
  const digests = (rules = FOUR) => digestJob(db, rules).run(new AbortController().signal)
  const rest = async () => {
    await db.query('delete from outbox')
    await db.query('delete from sms_notice_days')
  }

  it('sends an account so many notices a day, and not one more, in any number of processes', async () => {
    const { phone } = await told(30, 0)
    const other = await told(1, 0)
    const sent = await sentWith()
    assert.equal(sent.filter(({ to }) => to === phone).length, 4)
    assert.equal(sent.filter(({ to }) => to === other.phone).length, 1)
    const folded = await listMessages(db, { state: 'folded', limit: 100 })
    assert.equal(folded.length, 26)
    assert(
      folded.every(({ resendable }) => !resendable),
      'their text is erased',
    )
    assert.equal((await sentWith()).length, 0)
    await rest()
  })

  it('keeps half of them for what is about security', async () => {
    const { phone } = await told(3, 10)
    const sent = await sentWith()
    assert.equal(sent.filter(({ to }) => to === phone).length, 4)
    assert.equal(sent.filter(({ text }) => /password/.test(text)).length, 2)
    await rest()
  })

  it('counts a message once, however often it is tried', async () => {
    await told(3, 0)
    const down = () => tryLater('down')
    for (let round = 0; round < 3; round++) {
      assert.equal((await sentWith(FOUR, down)).length, 3)
      await db.query(`update outbox set next_try_at = now()`)
    }
    assert.equal((await sentWith()).length, 3)
    const [day] = await db.query('select sent, folded from sms_notice_days')
    assert.deepEqual(day, { sent: 3, folded: 0 })
    await rest()
  })

  it('never counts or folds a code', async () => {
    const { accountId, phone: to } = await told(4, 0)
    await sentWith()
    for (let n = 0; n < 6; n++) {
      const code = { subject: 'S', text: '123456', expiresInS: 600 }
      await insertMessage(db, { id: uuidv7(), channel: 'sms', accountId, to, ...code })
    }
    assert.equal((await sentWith()).length, 6)
    await rest()
  })

  it('says on the next morning, in one message, how many there were', async () => {
    const english = await told(7, 0)
    const swahili = await told(5, 0, 'sw')
    await sentWith()
    await digests()
    assert.equal((await sentWith()).length, 0, 'the day is not over')
    await db.query('update sms_notice_days set day = day - 2')
    await Promise.all([digests(), digests()])
    const sent = await sentWith()
    assert.equal(sent.length, 2)
    const textTo = (phone: string) => sent.find(({ to }) => to === phone)?.text
    assert.equal(
      textTo(english.phone),
      'Mlango: 3 more notices about your account were not sent by SMS. Sign in to Mlango to read them.',
    )
    assert.equal(
      textTo(swahili.phone),
      'Mlango: una taarifa nyingine 1 kuhusu akaunti yako ambayo hatukuituma kwa SMS. Ingia Mlango uisome.',
    )
    await digests()
    assert.equal((await sentWith()).length, 0, 'once')
    await rest()
  })

  it('begins anew on the next day', async () => {
    const { accountId } = await told(6, 0)
    assert.equal((await sentWith()).length, 4)
    await db.query('update sms_notice_days set day = day - 1')
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    assert.equal((await sentWith()).length, 1)
    await rest()
  })

  it('sends nothing to a country that is not served, whoever wrote it', async () => {
    const rules = { ...FOUR, countries: new Set(['TZ']) }
    const elsewhere = '+447400123456'
    const accountId = await insertPerson(db, { phone: elsewhere, locale: 'en' })
    await notify(db, { accountId, type: 'security.password_changed', data: {} })
    await insertMessage(db, {
      id: uuidv7(),
      channel: 'sms',
      accountId,
      to: elsewhere,
      subject: 'S',
      text: '123456',
      expiresInS: 600,
    })
    assert.deepEqual(await sentWith(rules), [])
    const dead = await listMessages(db, { state: 'dead', limit: 10 })
    assert.deepEqual(
      dead.map(({ lastError }) => lastError),
      ['country_not_served', 'country_not_served'],
    )
    await rest()
  })
})
