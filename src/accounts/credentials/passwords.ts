import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Failure, invalidField } from '../../lib/failure.ts'
import { isCommonPassword } from './common-passwords.ts'

/** argon2id at the cost OWASP advises (the library's default), in threads, a few at a time. */
export type PasswordHasher = {
  hash(password: string): Promise<string>
  /** Without a hash (unknown identifier, no password set) it takes just as long and is false. */
  verify(hash: string | null | undefined, password: string): Promise<boolean>
}

export async function openPasswordHasher(
  limits: { atOnce: number; waiting: number } = { atOnce: DEFAULT_AT_ONCE, waiting: 64 },
): Promise<PasswordHasher> {
  const queue = boundedQueue(limits)
  const decoy = await hash(randomBytes(24).toString('base64'))
  return {
    hash: (password) => queue(() => hash(password)),
    async verify(stored, password) {
      if (!hashable(password)) return false
      const right = await queue(() => verify(stored ?? decoy, password))
      return right && stored !== undefined && stored !== null
    },
  }
}

/** Throws `invalid` naming the field. The length is checked before anything is hashed. */
export function checkNewPassword(password: string, identifiers: string[], field: string): void {
  if (password.length < 8 || !hashable(password)) {
    throw invalidField(field, 'must be 8 to 128 characters long and must not contain NUL')
  }
  const lower = password.toLowerCase()
  const own = identifiers.flatMap((id) => [id, id.split('@')[0]!, id.replace(/^\+/, '')])
  if (own.some((id) => id.toLowerCase() === lower)) {
    throw invalidField(field, 'must not be your email address or phone number')
  }
  if (COMMON_HERE.has(lower) || isCommonPassword(lower)) {
    throw invalidField(field, 'is too common; choose another password')
  }
}

// One per core, at most 4: more only slow each other down, and file access uses the same threads.
const DEFAULT_AT_ONCE = Math.min(4, availableParallelism())

function hashable(password: string): boolean {
  return password.length <= 128 && !password.includes('\0') && password.isWellFormed()
}

function boundedQueue({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queued: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queued.length >= waiting) {
        throw new Failure(
          'unavailable',
          'Too many people are signing in at the moment. Please try again shortly.',
          {
            retryAfterS: 2,
          },
        )
      }
      // Whoever finishes starts the next one in its place, so `running` stays the same.
      await new Promise<void>((resolve) => queued.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = queued.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** What is tried first in Tanzania, and in no list of the world's commonest. */
const COMMON_HERE: ReadonlySet<string> = new Set(
  `whatsapp instagram guest1234 tanzania1 tanzania12 tanzania123 tanzania2024 tanzania2025
  tanzania2026 daressalaam dodoma123 mwanza123 arusha123 serengeti kiswahili swahili123 nakupenda
  nakupenda1 nakupenda2 nakupendasana mpenzi123 mpenziwangu mungunimwema munguwangu mungu123
  asanteyesu yesuniwangu bwanayesu yangasc123 yanga1935 simbasc123 simba1936 yanga123 karibu123
  nenosiri nenosiri1 nenosiri123 mlango123 vodacom1 vodacom123 airtel123 halotel123 tigopesa
  mpesa123`.split(/\s+/),
)
