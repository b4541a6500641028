import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import type { Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export type SmtpPeer = {
  url: string
  port: number
  mails: Email[]
  /** The passwords it was sent. */
  passwords: string[]
  /** How the next mails are received. */
  mood: { refuseWith?: number; refuseAt?: 'rcpt' | 'data'; until?: Promise<unknown> }
  close(): Promise<void>
}

/** A real SMTP server that keeps what it received, and can be slow or in a bad mood. */
export async function startSmtpPeer(port = 0): Promise<SmtpPeer> {
  const mails: Email[] = []
  const passwords: string[] = []
  const mood: SmtpPeer['mood'] = {}
  const refusal = () => Object.assign(new Error('no'), { responseCode: mood.refuseWith })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    onAuth({ password }, _session, done) {
      passwords.push(password ?? '')
      done(null, { user: 'mlango' })
    },
    onRcptTo(_address, _session, done) {
      done(mood.refuseWith !== undefined && mood.refuseAt !== 'data' ? refusal() : null)
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        await mood.until
        if (mood.refuseWith !== undefined) return done(refusal())
        mails.push(await PostalMime.parse(Buffer.concat(chunks)))
        done(null)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready))
  const bound = (server.server.address() as AddressInfo).port
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    mails,
    passwords,
    mood,
    close: () => new Promise((done) => server.close(() => done())),
  }
}
