import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import type { Locale, NoticeText } from './language.ts'
import { localeOf } from './language.ts'
import { noticeMail, noticeSms, noticeText } from './messages.ts'
import type { Notice } from './notice.ts'
import { categoryOf } from './notice.ts'
import {
  countNotifications,
  insertNotification,
  listNotifications,
  markNotificationRead,
  readRecipient,
} from './notices-store.ts'
import type { Notification } from './notices-store.ts'
import { insertMessage } from './outbox-store.ts'
import type { Address } from './preferences.ts'
import { addressesFor, signInAddresses } from './preferences.ts'

export type { Notification } from './notices-store.ts'

/**
 * Notifies an account of something, in the transaction in which it happens: in the app and, by the
 * account's preferences, by email and SMS. A deleted account gets nothing. A change of how one signs
 * in comes with the link that undoes it: it goes to every address that signs in, and to no other.
 */
export async function notify(tx: Tx, notice: Notice, undoLink?: string): Promise<void> {
  const recipient = await readRecipient(tx, notice.accountId)
  if (!recipient) return
  const { accountId, type, data } = notice
  const locale = localeOf(recipient.locale)
  const text = noticeText(notice, locale)
  const { title, body } = text
  const id = uuidv7()
  await insertNotification(tx, { id, accountId, type, data, title, body })
  const category = categoryOf(type)
  const addresses =
    undoLink === undefined ? addressesFor(type, recipient) : signInAddresses(recipient)
  for (const address of addresses) {
    const about = { accountId, notice: category, notificationId: id }
    const content = contentFor(address, { text, locale, undoLink })
    await insertMessage(tx, { id: uuidv7(), ...about, ...address, ...content })
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
  { accountId, id }: { accountId: string; id: string },
): Promise<Notification> {
  const found = isUuid(id) ? await markNotificationRead(db, { accountId, id }) : undefined
  if (!found) throw new Failure('not_found', 'There is no such notification.')
  return found
}

function contentFor(
  address: Address,
  { text, locale, undoLink }: { text: NoticeText; locale: Locale; undoLink: string | undefined },
): { subject: string; text: string } {
  return address.channel === 'sms'
    ? { subject: text.title, text: noticeSms(text, locale, undoLink) }
    : noticeMail(text, locale, undoLink)
}
