import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { freshEmail, freshPhone, PASSWORD } from '../../support/accounts.ts'
import { setBalance } from '../../support/customer.ts'
import { startApp } from '../../support/app.ts'
import { startBeem } from '../../support/peers/sms.ts'
import type { SmsPeer } from '../../support/peers/sms.ts'
import { startSmtpPeer } from '../../support/peers/smtp.ts'
import type { SmtpPeer } from '../../support/peers/smtp.ts'
import { eventually } from '../../support/eventually.ts'

let smtp: SmtpPeer
let beem: SmsPeer
let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  smtp = await startSmtpPeer()
  beem = await startBeem({ apiKey: 'k', secretKey: 's' })
  app = await startApp({
    env: {
      SMTP_URL: smtp.url,
      SMS_PROVIDER: 'beem',
      BEEM_BASE_URL: beem.url,
      BEEM_API_KEY: 'k',
      BEEM_SECRET_KEY: 's',
    },
  })
})
after(async () => {
  await app.close()
  await smtp.close()
  await beem.close()
})

const mailTo = (email: string, about: RegExp) =>
  eventually('the mail arrives', () =>
    smtp.mails.find(
      (mail) => mail.to?.[0]?.address === email && about.test(`${mail.subject} ${mail.text}`),
    ),
  )

it('a code arrives by email, and later notices in the language of the account', async () => {
  const email = freshEmail()
  const body = { full_name: 'Asha', email, password: PASSWORD }
  assert.equal((await app.call('POST /v1/auth/register', { body })).status, 201)
  const mail = await mailTo(email, /uthibitisho/)
  const code = /^\d{6}$/m.exec(mail.text!)![0]
  const answer = { identifier: email, channel: 'email', purpose: 'verify_email', code }
  const answered = await app.call('POST /v1/auth/otp/verify', { body: answer })
  assert.equal(answered.status, 200)
  const token = answered.body.data.access_token as string
  await mailTo(email, /Krediti zimeongezwa/)
  const listed = await app.call('GET /v1/notifications', { token })
  assert.equal(listed.body.data[0].type, 'credits.granted')
  assert.equal(listed.body.data[0].title, 'Krediti zimeongezwa')

  await app.call('PATCH /v1/me', { token, body: { locale: 'en' } })
  const key = { name: 'laptop' }
  assert.equal((await app.call('POST /v1/api-keys', { token, body: key })).status, 201)
  await mailTo(email, /API key created[^]*"laptop"/)
})

it('a code arrives by SMS', async () => {
  const phone = freshPhone()
  const body = { full_name: 'Asha', phone_number: phone, password: PASSWORD }
  assert.equal((await app.call('POST /v1/auth/register', { body })).status, 201)
  const sms = await eventually('the SMS arrives', () =>
    beem.messages.find(({ to }) => `+${to}` === phone),
  )
  assert.match(sms.text, /^\d{6} ni msimbo wako wa uthibitisho wa Mlango\./)
})

it('a slow mail server delays no request and no SMS', async () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  smtp.mood.until = promise
  const [email, phone] = [freshEmail(), freshPhone()]
  const person = { full_name: 'Asha', password: PASSWORD }
  await app.call('POST /v1/auth/register', { body: { ...person, email } })
  await app.call('POST /v1/auth/register', { body: { ...person, phone_number: phone } })
  await eventually('the SMS arrives', () => beem.messages.find(({ to }) => `+${to}` === phone))
  const before = smtp.mails.filter((mail) => mail.to?.[0]?.address === email).length
  assert.equal(before, 0, 'the answers and the SMS were there before the mail')
  goOn()
  await mailTo(email, /uthibitisho/)
  delete smtp.mood.until
})

it('one warning of a low balance, however many calls follow', async () => {
  const { token, key } = await customer('19.5')
  const messages = [{ role: 'user', content: 'Habari?' }]
  for (let turn = 0; turn < 3; turn += 1) {
    const body = { model: 'sim/hekima', messages, max_tokens: 5 }
    const answered = await app.call('POST /v1/chat/completions', { token: key, body })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
  }
  const { body } = await app.call('GET /v1/notifications', { token })
  const warnings = body.data.filter(({ type }: { type: string }) => type === 'credits.low')
  assert.equal(warnings.length, 1)
  assert.ok(warnings[0].data.available_credits < 19.5)
})

/** Registers a customer over the API, with these credits and an API key. */
async function customer(credits: string) {
  const email = freshEmail()
  const person = { full_name: 'Asha', email, password: PASSWORD }
  await app.call('POST /v1/auth/register', { body: person })
  const code = /^\d{6}$/m.exec((await mailTo(email, /uthibitisho/)).text!)![0]
  const answer = { identifier: email, channel: 'email', purpose: 'verify_email', code }
  const { body } = await app.call('POST /v1/auth/otp/verify', { body: answer })
  const { access_token: token, user } = body.data as { access_token: string; user: { id: string } }
  await setBalance(app.db, user.id, credits)
  const made = await app.call('POST /v1/api-keys', { token, body: { name: 'test' } })
  return { token, key: made.body.data.key as string }
}
