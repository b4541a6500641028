import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { visibleText } from '../../../src/lib/visible-text.ts'
import { freshEmail, PASSWORD, accountsApp } from '../../support/accounts.ts'
import { eventually } from '../../support/eventually.ts'
import { naughtyStrings } from '../../support/samples/naughty.ts'

const app = accountsApp()

/** With what people and fuzzers add to the list. */
const nasty = [...naughtyStrings, '\0', 'a\0b', '\ud800', '\u202egnirts', 'x'.repeat(10_000), '{}']
/** For fields that cost a password hash each, and those of a fixed form, which a schema refuses: one of thirty. */
const few = nasty.filter((_, i) => i % 30 === 0)

type Shape = (text: string) => unknown
type Trial = [line: string, shape: Shape, texts?: string[]]

describe('naughty strings in every string field', () => {
  const id = '01900000-0000-7000-8000-000000000001'
  const otp = { identifier: 'a@example.com', channel: 'email', purpose: 'verify_email' }
  const open: Trial[] = [
    ['register', (full_name) => ({ full_name, email: freshEmail(), password: PASSWORD }), few],
    ['register', (full_name) => ({ full_name, email: freshEmail(), password: 'short' })],
    ['register', (email) => ({ full_name: 'A', email, password: PASSWORD })],
    ['register', (phone_number) => ({ full_name: 'A', phone_number, password: PASSWORD })],
    ['register', (password) => ({ full_name: 'A', email: freshEmail(), password }), few],
    ['otp/verify', (identifier) => ({ ...otp, identifier, code: '123456' })],
    ['otp/verify', (channel) => ({ ...otp, channel, code: '123456' }), few],
    ['otp/verify', (purpose) => ({ ...otp, purpose, code: '123456' }), few],
    ['otp/verify', (code) => ({ ...otp, code }), few],
    [
      'otp/verify',
      (challenge_id) => ({ ...otp, purpose: 'login_mfa', challenge_id, code: '1' }),
      few,
    ],
    ['otp/resend', (identifier) => ({ ...otp, identifier })],
    ['otp/resend', (channel) => ({ ...otp, channel }), few],
    ['otp/resend', (purpose) => ({ ...otp, purpose }), few],
    ['otp/resend', (challenge_id) => ({ ...otp, purpose: 'login_mfa', challenge_id }), few],
    ['login', (identifier) => ({ identifier, password: PASSWORD }), few],
    ['login', (password) => ({ identifier: freshEmail(), password }), few],
    ['refresh', (refresh_token) => ({ refresh_token })],
    ['password/forgot', (identifier) => ({ identifier })],
    ['password/reset', (identifier) => ({ identifier, code: '123456', new_password: PASSWORD })],
    ['password/reset', (code) => ({ identifier: freshEmail(), code, new_password: PASSWORD }), few],
    ['password/reset', (new_password) => ({ identifier: id, code: '123456', new_password })],
  ]
  const own: Trial[] = [
    ['POST /v1/auth/logout', (refresh_token) => ({ refresh_token: `mlr_${refresh_token}` })],
    ['PATCH /v1/me', (full_name) => ({ full_name })],
    ['PATCH /v1/me', (avatar_url) => ({ avatar_url })],
    ['PATCH /v1/me', (locale) => ({ locale }), few],
    ['PATCH /v1/me', (mfa_method) => ({ mfa_method }), few],
    ['PATCH /v1/me', (totp_code) => ({ totp_code }), few],
    ['POST /v1/me/phone', (phone_number) => ({ phone_number })],
    ['POST /v1/workspaces', (name) => ({ name })],
    ['POST /v1/workspaces', (slug) => ({ name: 'a', slug })],
    ['POST /v1/workspaces', (description) => ({ name: 'default', description })],
    ['PATCH /v1/workspaces/default', (name) => ({ name })],
    ['PATCH /v1/workspaces/default', (description) => ({ description })],
    ['POST /v1/api-keys', (name) => ({ name })],
    ['POST /v1/api-keys', (workspace_id) => ({ name: 'a', workspace_id }), few],
    ['POST /v1/api-keys', (workspace_slug) => ({ name: 'a', workspace_slug })],
    ['POST /v1/api-keys', (expires_at) => ({ name: 'a', expires_at }), few],
  ]

  const fits = async (line: string, shape: Shape, text: string, token?: string) => {
    // A busy machine may answer 503, which says when to ask again; for ever would be a fault.
    const response = await eventually('the service has time for it', async () => {
      const answer = await app.call(line, { token, body: shape(text) })
      return answer.status !== 503 && answer
    })
    const about = `${line} ${JSON.stringify(shape(text)).slice(0, 300)} → ${response.status}`
    assert.ok(response.status < 500, about)
    assert.ok(JSON.stringify(response.body).length < 2_000 || response.status < 300, about)
    return response
  }

  for (const [path, shape, texts = nasty] of open) {
    it(`POST /v1/auth/${path} ${Object.keys(shape('') as object).join(' ')}: never a 5xx`, async () => {
      await inBatches(texts, (text) => fits(`POST /v1/auth/${path}`, shape, text))
    })
  }

  it('with a session: never a 5xx, and what is accepted comes back, without what nobody sees', async () => {
    const { token } = await app.signUp()
    let kept = 0
    for (const [line, shape, texts = nasty] of own) {
      await inBatches(texts, async (text) => {
        const response = await fits(line, shape, text, token)
        if (response.status !== 200 || !line.startsWith('PATCH')) return
        const [field, sent] = Object.entries(shape(text) as object).at(-1)! as [string, string]
        const back: string = response.body.data[field] ?? ''
        const seen = field === 'avatar_url' ? sent : visibleText(sent)
        assert.equal(back, field === 'description' ? seen : seen.trim())
        kept += 1
      })
    }
    assert.ok(kept > 500, 'most of them are harmless names')
    assert.equal((await app.call('GET /v1/me', { token })).status, 200)
  })

  it('in the path', async () => {
    const { token } = await app.signUp()
    await inBatches(nasty.filter(travels), async (text) => {
      for (const noun of ['workspaces', 'api-keys']) {
        const path = `/v1/${noun}/${encodeURIComponent(text)}`
        const response = await app.call(`DELETE ${path}`, { token })
        assert.ok(response.status >= 400 && response.status < 500, `${path} → ${response.status}`)
      }
    })
  })
})

/** What can stand in a path at all; `.` and `..` are taken out by every client. */
function travels(text: string): boolean {
  return text.isWellFormed() && text !== '' && !/^\.{1,2}$/.test(text)
}

/** Few at once: they wait for the same account, and one that waits for two seconds is a 503. */
async function inBatches(texts: string[], work: (text: string) => Promise<unknown>) {
  for (let i = 0; i < texts.length; i += 4) await Promise.all(texts.slice(i, i + 4).map(work))
}
