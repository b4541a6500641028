import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { uuidv7 } from '../../src/lib/ids.ts'
import { africasTalkingSender } from '../../src/notices/africastalking.ts'
import { beemSender } from '../../src/notices/beem.ts'
import { dropFolderSender } from '../../src/notices/drop-folder.ts'
import type { Message } from '../../src/notices/sender.ts'
import { openSenders } from '../../src/notices/senders.ts'
import { smtpSender } from '../../src/notices/smtp.ts'
import { startAfricasTalking, startBeem } from '../support/peers/sms.ts'
import { startSmtpPeer } from '../support/peers/smtp.ts'

const mail: Message = {
  id: uuidv7(),
  channel: 'email',
  to: 'asha@example.com',
  subject: 'Mlango: salamu',
  text: 'Habari za asubuhi.\n',
  createdAt: new Date('2026-01-02T03:04:05Z'),
}
const sms: Message = { ...mail, channel: 'sms', to: '+255712345678', text: '123456 ni namba yako.' }

describe('the SMTP sender', async () => {
  const peer = await startSmtpPeer()
  const sender = smtpSender({ url: peer.url, from: 'Mlango <no-reply@mlango.example>' })
  after(async () => {
    await sender.close()
    await peer.close()
  })

  it('delivers a mail that a real server can read, with a stable Message-ID', async () => {
    assert.deepEqual(await sender.send(mail), { ok: true })
    const [received] = peer.mails
    assert.equal(received?.from?.address, 'no-reply@mlango.example')
    assert.deepEqual(
      received?.to?.map((to) => to.address),
      ['asha@example.com'],
    )
    assert.equal(received?.subject, mail.subject)
    assert.equal(received?.text?.trim(), mail.text.trim())
    assert.equal(received?.messageId, `<${mail.id}@mlango.example>`)
  })

  it('gives up on a refused recipient and tries a tired server again', async () => {
    peer.mood.refuseWith = 550
    assert.deepEqual(await sender.send(mail), { ok: false, permanent: true, reason: 'smtp_550' })
    peer.mood.refuseWith = 451
    assert.deepEqual(await sender.send(mail), { ok: false, permanent: false, reason: 'smtp_451' })
    peer.mood.refuseAt = 'data'
    peer.mood.refuseWith = 554
    const refused = await sender.send(mail)
    assert.deepEqual(refused, { ok: false, permanent: true, reason: 'smtp_554' })
    delete peer.mood.refuseWith
    assert.deepEqual(await sender.send(mail), { ok: true })
  })

  it('never turns one address into two, nor a line break into a header', async () => {
    const before = peer.mails.length
    await sender.send({ ...mail, to: 'a@example.com,b@example.com' })
    await sender.send({ ...mail, subject: 'x\r\nBcc: c@example.com' })
    for (const received of peer.mails.slice(before)) {
      assert.ok((received.to ?? []).length <= 1)
      assert.equal(received.bcc, undefined)
      assert.ok(!received.headers.some(({ key }) => key === 'bcc'))
    }
  })

  it('sends a password without TLS to nobody but who a setting names', async () => {
    const before = peer.mails.length
    // Leads to this machine, but does not say so.
    const far = `0.0.0.0:${peer.port}`
    const cases: [string, string[], boolean][] = [
      [`smtp://mlango:secret@${far}`, [], false],
      [`smtp://mlango:secret@${far}`, ['0.0.0.0'], true],
      [`smtp://mlango:secret@127.0.0.1:${peer.port}`, [], true],
      [`smtp://${far}`, [], true],
    ]
    for (const [url, plainHosts, ok] of cases) {
      const other = smtpSender({ url, plainHosts, from: 'a@example.com' })
      assert.equal((await other.send(mail)).ok, ok, url)
      await other.close()
    }
    assert.deepEqual(peer.passwords, ['secret', 'secret'])
    assert.equal(peer.mails.length, before + 3)
  })

  it('says that a server is away', async () => {
    const gone = await startSmtpPeer()
    await gone.close()
    const lost = smtpSender({ url: gone.url, from: 'a@example.com' })
    const answer = await lost.send(mail)
    assert.equal(answer.ok, false)
    assert.equal(!answer.ok && answer.permanent, false)
    await lost.close()
  })
})

describe('the Beem sender', async () => {
  const credentials = { apiKey: 'beem-key', secretKey: 'beem-secret' }
  const peer = await startBeem(credentials)
  const settings = { ...credentials, baseUrl: `${peer.url}/`, senderId: 'MLANGO' }
  const sender = beemSender(settings)
  after(async () => {
    await sender.close()
    await peer.close()
  })

  it('sends what the provider expects', async () => {
    assert.deepEqual(await sender.send(sms), { ok: true })
    const body = JSON.parse(peer.messages[0]!.raw) as Record<string, unknown>
    const [recipient] = body.recipients as { recipient_id: number; dest_addr: string }[]
    assert.ok(Number.isSafeInteger(recipient!.recipient_id))
    delete body.recipients
    assert.deepEqual(body, {
      source_addr: 'MLANGO',
      encoding: 0,
      schedule_time: '',
      message: sms.text,
    })
    assert.equal(recipient!.dest_addr, '255712345678')
  })

  it('gives up on a bad number only', async () => {
    peer.mood.code = 101
    assert.deepEqual(await sender.send(sms), {
      ok: false,
      permanent: true,
      reason: 'beem_invalid_number',
    })
    peer.mood.code = 102
    assert.deepEqual(await sender.send(sms), { ok: false, permanent: false, reason: 'beem_102' })
    delete peer.mood.code
    const stranger = beemSender({ ...settings, secretKey: 'wrong' })
    assert.deepEqual(await stranger.send(sms), { ok: false, permanent: false, reason: 'beem_120' })
    await stranger.close()
  })
})

describe("the Africa's Talking sender", async () => {
  const peer = await startAfricasTalking({ apiKey: 'at-key' })
  const settings = { baseUrl: peer.url, username: 'mlango', apiKey: 'at-key' }
  const sender = africasTalkingSender(settings)
  after(async () => {
    await sender.close()
    await peer.close()
  })

  it('sends what the provider expects', async () => {
    assert.deepEqual(await sender.send(sms), { ok: true })
    const form = Object.fromEntries(new URLSearchParams(peer.messages[0]!.raw))
    assert.deepEqual(form, {
      username: 'mlango',
      to: '+255712345678',
      message: sms.text,
      bulkSMSMode: '1',
    })
  })

  it('reads the status of the recipient, whatever HTTP says', async () => {
    peer.mood.code = 403
    assert.deepEqual(await sender.send(sms), {
      ok: false,
      permanent: true,
      reason: 'africastalking_403',
    })
    peer.mood.code = 405
    assert.deepEqual(await sender.send(sms), {
      ok: false,
      permanent: false,
      reason: 'africastalking_405',
    })
    const stranger = africasTalkingSender({ ...settings, apiKey: 'wrong' })
    assert.deepEqual(await stranger.send(sms), {
      ok: false,
      permanent: false,
      reason: 'africastalking_http_401',
    })
    await stranger.close()
  })
})

describe('the drop folder', async () => {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'mlango-drop-')), 'outbox')
  after(() => rm(path.dirname(folder), { recursive: true }))

  it('writes one private JSON file per message, and the same one again for a repetition', async () => {
    const sender = dropFolderSender(folder)
    assert.deepEqual(await sender.send(sms), { ok: true })
    assert.deepEqual(await sender.send(sms), { ok: true })
    assert.deepEqual(await readdir(folder), [`${sms.id}.json`])
    const file = path.join(folder, `${sms.id}.json`)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
      to: '+255712345678',
      channel: 'sms',
      subject: sms.subject,
      text: sms.text,
      created_at: '2026-01-02T03:04:05.000Z',
    })
  })

  it('says when the folder cannot be written', async () => {
    const answer = await dropFolderSender(path.join(import.meta.filename, 'outbox')).send(sms)
    assert.equal(answer.ok, false)
  })

  it('serves both channels when nothing is configured', async () => {
    const senders = openSenders({
      DATA_DIR: path.dirname(folder),
      MAIL_FROM: 'a@example.com',
      BEEM_BASE_URL: 'http://127.0.0.1:1',
      BEEM_SENDER_ID: 'INFO',
      AFRICASTALKING_BASE_URL: 'http://127.0.0.1:1',
    })
    const id = uuidv7()
    assert.deepEqual(await senders.email.send({ ...mail, id }), { ok: true })
    assert.ok((await readdir(folder)).includes(`${id}.json`))
  })
})
