import { z } from 'zod'
import type { Category } from './types.ts'

type ChannelPreferences = Record<Category, boolean>
export type Preferences = { email: ChannelPreferences; sms: ChannelPreferences }

/** Mail costs nothing. An SMS is paid for, so it tells of money and of safety only. */
export const DEFAULT_PREFERENCES: Preferences = {
  email: { payments: true, usage: true, security: true },
  sms: { payments: true, usage: false, security: true },
}

const channelPatch = z.strictObject({
  payments: z.boolean().optional(),
  usage: z.boolean().optional(),
  security: z.boolean().optional(),
})

export const preferencesPatch = z.strictObject({
  email: channelPatch.optional(),
  sms: channelPatch.optional(),
})

export type PreferencesPatch = z.infer<typeof preferencesPatch>
