import { createTransport } from 'nodemailer'
import { isTrustedAddress } from '../lib/party-address.ts'
import { delivered, errorCode, giveUp, tryLater } from './sender.ts'
import type { Delivery, Message, MessageSender } from './sender.ts'

/**
 * Email by SMTP. The Message-ID is made from the row's id, so that a repetition is recognised. A
 * password is sent only over TLS, within this machine, or to a host in `plainHosts`.
 */
export function smtpSender(settings: {
  url: string
  from: string
  plainHosts?: readonly string[]
}): MessageSender {
  const transport = createTransport({
    ...serverOf(settings.url, settings.plainHosts),
    pool: true,
    maxConnections: 4,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const host = /@([^\s<>@]+)>?\s*$/.exec(settings.from)?.[1] ?? 'localhost'
  return {
    async send(message) {
      try {
        await transport.sendMail(mailOf(message, settings.from, host))
        return delivered
      } catch (error) {
        return refusal(error)
      }
    },
    async check() {
      try {
        await transport.verify()
        return delivered
      } catch (error) {
        return refusal(error)
      }
    },
    async close() {
      transport.close()
    },
  }
}

function serverOf(text: string, plainHosts: readonly string[] | undefined) {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user !== '' && {
      auth: { user, pass: decodeURIComponent(url.password) },
      requireTLS: !isTrustedAddress(text, plainHosts),
    }),
  }
}

function mailOf(message: Message, from: string, host: string) {
  return {
    from,
    // An object, not a string: a comma in it can never make it two recipients.
    to: { name: '', address: message.to },
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: `<${message.id}@${host}>`,
    date: message.createdAt,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

/** A 5xx about this recipient or this content is final; about our login or sender it is not. */
function refusal(error: unknown): Delivery {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  if (responseCode === undefined) return tryLater(errorCode(error))
  const final = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return final ? giveUp(`smtp_${responseCode}`) : tryLater(`smtp_${responseCode}`)
}
