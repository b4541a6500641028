import type { Tone } from '../../../parts/badge.tsx'
import type { Payment } from './networks.ts'

export const TONES: Record<Payment['status'], Tone> = {
  pending: 'wait',
  completed: 'good',
  failed: 'bad',
  expired: 'wait',
}
