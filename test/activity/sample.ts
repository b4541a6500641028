import { randomUUID } from 'node:crypto'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { uuidv7 } from '../../src/lib/ids.ts'

export const ZONE = 'Africa/Dar_es_Salaam'

/** A completed chat call of no one in particular, with what a test cares about on top. */
export function sample(fields: Partial<ActivityRecord> = {}): ActivityRecord {
  const createdAt = fields.createdAt ?? new Date()
  return {
    id: uuidv7(createdAt.getTime()),
    accountId: randomUUID(),
    requestId: 'req_sample',
    kind: 'chat',
    model: 'acme/small',
    promptTokens: 10,
    completionTokens: 5,
    totalTokens: 15,
    costMicro: fields.status === undefined || fields.status === 'completed' ? 1_500n : 0n,
    latencyMs: 120,
    status: 'completed',
    estimated: false,
    createdAt,
    ...fields,
  }
}
