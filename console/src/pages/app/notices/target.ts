import type { Answer } from '../../../client/ask.ts'
import type { IconName } from '../../../parts/icon.tsx'

export type NoticeShown = Answer<'GET /v1/notifications'>['data'][number]
type Target = {
  to: string
  label: 'payment' | 'credits' | 'topUp' | 'security' | 'keys' | 'video'
  icon: IconName
}

/** The page that a notice leads to. */
export function targetOf({ type, data }: NoticeShown): Target | undefined {
  const id = data?.['payment_id']
  if (type.startsWith('payment.')) {
    const to = typeof id === 'string' ? `/app/billing/payments/${id}` : '/app/billing'
    return { to, label: 'payment', icon: 'wallet' }
  }
  if (type === 'credits.low') return { to: '/app/billing', label: 'topUp', icon: 'warning' }
  if (type.startsWith('credits.')) return { to: '/app/billing', label: 'credits', icon: 'wallet' }
  if (type.startsWith('security.')) {
    return { to: '/app/settings', label: 'security', icon: 'shield' }
  }
  if (type.startsWith('api_key.')) return { to: '/app/keys', label: 'keys', icon: 'key' }
  if (type.startsWith('video.')) return { to: '/app/try/video', label: 'video', icon: 'video' }
  return undefined
}
