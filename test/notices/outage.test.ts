import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { insertMessage } from '../../src/notices/outbox-store.ts'
import { openOutbox } from '../../src/notices/outbox.ts'
import type { SenderSettings } from '../../src/notices/senders.ts'
import { openSenders } from '../../src/notices/senders.ts'
import { freshDb } from '../support/databases.ts'
import { ANYWHERE } from './sms-rules.ts'
import { startBeem } from '../support/peers/sms.ts'
import { startSmtpPeer } from '../support/peers/smtp.ts'

/** The servers go down, refuse, are slow and come back; every message arrives once. */
it('emails and SMS survive an outage of their servers', async () => {
  const db = await freshDb()
  let smtp = await startSmtpPeer()
  const beem = await startBeem({ apiKey: 'k', secretKey: 's' })
  const settings: SenderSettings = {
    DATA_DIR: '/nowhere',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Mlango <no-reply@mlango.example>',
    SMS_PROVIDER: 'beem',
    BEEM_BASE_URL: beem.url,
    BEEM_API_KEY: 'k',
    BEEM_SECRET_KEY: 's',
    BEEM_SENDER_ID: 'MLANGO',
    AFRICASTALKING_BASE_URL: 'http://127.0.0.1:1',
  }
  const senders = openSenders(settings)
  const outbox = await openOutbox({ db, senders, log: silentLog, smsRules: ANYWHERE })
  const round = async () => {
    await db.query(`update outbox set next_try_at = now() where state = 'waiting'`)
    const { signal } = new AbortController()
    await Promise.all(outbox.jobs.map((job) => job.run(signal)))
  }
  const state = async (id: string) =>
    (await db.query('select state, last_error from outbox where id = $1', [id]))[0]
  const [mail, sms] = [uuidv7(), uuidv7()]

  await smtp.close()
  beem.mood.status = 500
  beem.mood.code = 103
  const words = { subject: 'Habari', text: '123456 ni namba yako.' }
  await insertMessage(db, { id: mail, channel: 'email', to: 'asha@example.com', ...words })
  await insertMessage(db, { id: sms, channel: 'sms', to: '+255712345678', ...words })
  await round()
  assert.equal((await state(mail))?.state, 'waiting')
  assert.equal((await state(sms))?.last_error, 'beem_103')

  smtp = await startSmtpPeer(smtp.port)
  smtp.mood.refuseWith = 421
  await round()
  assert.equal((await state(mail))?.last_error, 'smtp_421')

  delete smtp.mood.refuseWith
  delete beem.mood.code
  smtp.mood.until = sleep(100)
  beem.mood.delayMs = 100
  await round()
  await round()
  assert.deepEqual([(await state(mail))?.state, (await state(sms))?.state], ['sent', 'sent'])
  assert.deepEqual(
    smtp.mails.map(({ messageId }) => messageId),
    [`<${mail}@mlango.example>`],
  )
  assert.deepEqual(
    beem.messages.map(({ to, text }) => [to, text]),
    [['255712345678', words.text]],
  )
  await outbox.close()
  await smtp.close()
  await beem.close()
  await db.close()
})
