import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../lib/failure.ts'
import { COMMON_PASSWORDS } from './common-passwords.ts'

/** argon2id at OWASP's cost (the library's default), off the event loop, a few at a time. */
export type PasswordDesk = {
  hash(password: string): Promise<string>
  /** Without a hash (unknown identifier, no password set) it works as long and says no. */
  verify(hash: string | null | undefined, password: string): Promise<boolean>
}

export async function openPasswordDesk(
  limits: { atOnce: number; waiting: number } = { atOnce: DEFAULT_AT_ONCE, waiting: 64 },
): Promise<PasswordDesk> {
  const queue = boundedQueue(limits)
  const nobody = await hash(randomBytes(24).toString('base64'))
  return {
    hash: (password) => queue(() => hash(password)),
    async verify(stored, password) {
      if (!hashable(password)) return false
      const right = await queue(() => verify(stored ?? nobody, password))
      return right && stored !== undefined && stored !== null
    },
  }
}

/** Throws `invalid` naming the field. Length is judged before anything is hashed. */
export function checkNewPassword(password: string, identifiers: string[], param: string): void {
  const refuse = (why: string) => new Failure('invalid', `${param} ${why}`, { param })
  if (password.length < 8 || !hashable(password)) {
    throw refuse('must be 8 to 128 characters, none of them NUL.')
  }
  const lower = password.toLowerCase()
  const own = identifiers.flatMap((id) => [id, id.split('@')[0]!, id.replace(/^\+/, '')])
  if (own.some((id) => id.toLowerCase() === lower)) {
    throw refuse('must not be your email address or phone number.')
  }
  if (COMMON_PASSWORDS.has(lower)) throw refuse('is one of the most common ones: choose another.')
}

// One thread per core, at most 4: more only makes each slower, and the pool serves files too.
const DEFAULT_AT_ONCE = Math.min(4, availableParallelism())

function hashable(password: string): boolean {
  return password.length <= 128 && !password.includes('\0') && password.isWellFormed()
}

function boundedQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const line: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (line.length >= waiting) {
        throw new Failure('unavailable', 'Too many sign-ins at once. Try again shortly.', {
          retryAfterS: 2,
        })
      }
      // The one who leaves hands over its place, so `running` stays the same.
      await new Promise<void>((turn) => line.push(turn))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running -= 1
    }
  }
}
