import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import type { Words } from './catalogue.ts'
import { addressesFor } from './channels.ts'
import type { Address } from './channels.ts'
import { noticeMail, noticeWords } from './messages.ts'
import {
  countNotifications,
  insertNotification,
  listNotifications,
  markNotificationRead,
  readRecipient,
} from './notices-store.ts'
import type { Notification } from './notices-store.ts'
import { enqueue } from './outbox.ts'
import { categoryOf, localeOf } from './types.ts'
import type { Locale, Notice } from './types.ts'

export type { Notice } from './types.ts'
export type { Notification } from './notices-store.ts'

/**
 * Tells an account of something, in the transaction in which it happens: the in-app notification,
 * and by the account's preferences a mail and an SMS. A deleted account is told nothing.
 */
export async function tell(tx: Tx, notice: Notice): Promise<void> {
  const recipient = await readRecipient(tx, notice.accountId)
  if (!recipient) return
  const { accountId, type, data } = notice
  const locale = localeOf(recipient.locale)
  const words = noticeWords(notice, locale)
  await insertNotification(tx, { id: uuidv7(), accountId, type, data, ...titleAndBody(words) })
  for (const address of addressesFor(categoryOf(type), recipient)) {
    await enqueue(tx, { id: uuidv7(), accountId, ...address, ...letter(words, address, locale) })
  }
}

export type NotificationPage = {
  notifications: Notification[]
  total: number
  unreadCount: number
}

export async function notificationsOf(
  db: Db,
  page: { accountId: string; unread: boolean | undefined; limit: number; offset: number },
): Promise<NotificationPage> {
  return db.begin(async (tx) => {
    const notifications = await listNotifications(tx, page)
    const { all, unread } = await countNotifications(tx, page.accountId)
    const total = page.unread === undefined ? all : page.unread ? unread : all - unread
    return { notifications, total, unreadCount: unread }
  })
}

export async function readNotification(
  db: Db,
  wanted: { accountId: string; id: string },
): Promise<Notification> {
  const found = isUuid(wanted.id) ? await markNotificationRead(db, wanted) : undefined
  if (!found) throw new Failure('not_found', 'No such notification.')
  return found
}

function titleAndBody({ title, body }: Words): { title: string; body: string } {
  return { title, body }
}

function letter(words: Words, address: Address, locale: Locale): { subject: string; text: string } {
  return address.channel === 'sms'
    ? { subject: words.title, text: words.sms }
    : noticeMail(words, locale)
}
