import path from 'node:path'
import { africasTalkingSender } from './africastalking.ts'
import { beemSender } from './beem.ts'
import { dropFolderSender } from './drop-folder.ts'
import type { Channel, MessageSender } from './sender.ts'
import { smtpSender } from './smtp.ts'

/** The settings that choose how messages leave; `config.ts` has checked what needs what. */
export type SenderSettings = {
  DATA_DIR: string
  ALLOW_PLAINTEXT_HOSTS?: readonly string[]
  SMTP_URL?: string | undefined
  MAIL_FROM: string
  SMS_PROVIDER?: 'beem' | 'africastalking' | undefined
  BEEM_BASE_URL: string
  BEEM_API_KEY?: string | undefined
  BEEM_SECRET_KEY?: string | undefined
  BEEM_SENDER_ID: string
  AFRICASTALKING_BASE_URL: string
  AFRICASTALKING_USERNAME?: string | undefined
  AFRICASTALKING_API_KEY?: string | undefined
}

export function openSenders(settings: SenderSettings): Record<Channel, MessageSender> {
  return { email: mailSender(settings), sms: smsSender(settings) }
}

function mailSender(settings: SenderSettings): MessageSender {
  if (!settings.SMTP_URL) return dropFolder(settings)
  return smtpSender({
    url: settings.SMTP_URL,
    from: settings.MAIL_FROM,
    plainHosts: settings.ALLOW_PLAINTEXT_HOSTS ?? [],
  })
}

function smsSender(settings: SenderSettings): MessageSender {
  if (settings.SMS_PROVIDER === 'beem') {
    return beemSender({
      baseUrl: settings.BEEM_BASE_URL,
      apiKey: settings.BEEM_API_KEY ?? '',
      secretKey: settings.BEEM_SECRET_KEY ?? '',
      senderId: settings.BEEM_SENDER_ID,
    })
  }
  if (settings.SMS_PROVIDER === 'africastalking') {
    return africasTalkingSender({
      baseUrl: settings.AFRICASTALKING_BASE_URL,
      username: settings.AFRICASTALKING_USERNAME ?? '',
      apiKey: settings.AFRICASTALKING_API_KEY ?? '',
    })
  }
  return dropFolder(settings)
}

function dropFolder(settings: SenderSettings): MessageSender {
  return dropFolderSender(path.join(settings.DATA_DIR, 'outbox'))
}
