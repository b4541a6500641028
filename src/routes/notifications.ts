import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { route, type Route } from '../http/route.ts'
import { notificationsOf, readNotification } from '../notices/notices.ts'
import type { Notification } from '../notices/notices.ts'
import { markAllRead } from '../notices/notices-store.ts'
import { changePreferences, preferencesOf, preferencesPatch } from '../notices/preferences.ts'
import { pageQuery, pagination } from './fields.ts'

const shared = {
  tag: 'Notifications',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

const listQuery = z.object({
  ...pageQuery,
  unread: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({ description: 'Only those that are unread, or only those that are read' }),
})

const notificationShape = z.object({
  id: z.uuid(),
  type: z.string().meta({ example: 'payment.completed' }),
  title: z.string(),
  body: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
  read: z.boolean(),
  read_at: z.iso.datetime().optional(),
  sent_by: z
    .array(z.enum(['email', 'sms']))
    .meta({ description: 'The channels by which it has also gone out' }),
  created_at: z.iso.datetime(),
})

const channelShape = z.object({ payments: z.boolean(), usage: z.boolean(), security: z.boolean() })
const preferencesShape = z.object({ email: channelShape, sms: channelShape })

export function notificationRoutes({ db }: { db: Db }): Route[] {
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/notifications',
      summary: 'List notifications, newest first',
      description: '`unread_count` says how many are unread in all.',
      query: listQuery,
      response: z.array(notificationShape),
      beside: { unread_count: z.int() },
      async handle({ principal, query }) {
        const { limit, offset, unread } = query
        const accountId = principal.accountId
        const page = await notificationsOf(db, { accountId, unread, limit, offset })
        const { notifications, total, unreadCount } = page
        const hasMore = offset + notifications.length < total
        return {
          data: notifications.map(view),
          beside: { ...pagination(query, { total, hasMore }), unread_count: unreadCount },
        }
      },
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/v1/notifications/:id/read',
      summary: 'Mark a notification as read',
      description: 'Marking it again changes nothing.',
      params: z.object({ id: z.string() }),
      response: notificationShape,
      async handle({ principal, params }) {
        const wanted = { accountId: principal.accountId, id: params.id }
        return { data: view(await readNotification(db, wanted)) }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/notifications/read-all',
      summary: 'Mark all notifications as read. Says how many were unread',
      description: 'What arrives later is unread again.',
      response: z.object({ read: z.int().nonnegative() }),
      async handle({ principal }) {
        return { data: { read: await markAllRead(db, principal.accountId) } }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/me/notification-preferences',
      summary: 'Read your notification preferences',
      description: 'What goes out by email and by SMS. Notifications in the app are always there.',
      response: preferencesShape,
      async handle({ principal }) {
        return { data: await preferencesOf(db, principal.accountId) }
      },
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/v1/me/notification-preferences',
      summary: 'Change your notification preferences',
      description: 'Send only what changes. Security notices stay on in at least one channel.',
      bodyKind: 'json',
      body: preferencesPatch,
      response: preferencesShape,
      async handle({ principal, body }) {
        return { data: await changePreferences(db, principal.accountId, body) }
      },
    }),
  ]
}

function view(note: Notification) {
  return {
    id: note.id,
    type: note.type,
    title: note.title,
    body: note.body,
    data: Object.keys(note.data).length === 0 ? undefined : note.data,
    read: note.readAt !== null,
    read_at: note.readAt?.toISOString(),
    sent_by: note.sentBy,
    created_at: note.createdAt.toISOString(),
  }
}
