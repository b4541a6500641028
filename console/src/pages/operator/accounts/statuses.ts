import type { Answer } from '../../../client/ask.ts'
import type { Tone } from '../../../parts/badge.tsx'

export type Status = Answer<'GET /v1/operator/accounts'>['data'][number]['status']

export const STATUS_TONES: Record<Status, Tone> = {
  pending_verification: 'wait',
  active: 'good',
  suspended: 'bad',
}
