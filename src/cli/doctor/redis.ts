import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'redis'

/** `answers` is undefined without REDIS_URL. */
export async function examineRedis(
  answers: (() => Promise<boolean>) | undefined,
  workers: number,
): Promise<Diagnosis[]> {
  if (answers === undefined) {
    const says = 'REDIS_URL is not set: each process counts rate limits for itself.'
    return [
      workers > 1 ? note(PART, says, 'Set it when replicas are to share them.') : note(PART, says),
    ]
  }
  if (await answers()) return [good(PART, 'It answers: replicas share their rate limits.')]
  const says = 'It does not answer: each process counts rate limits for itself.'
  return [bad(PART, says, 'Start it, or correct REDIS_URL.')]
}
