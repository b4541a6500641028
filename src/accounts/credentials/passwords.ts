import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Failure, invalidField } from '../../lib/failure.ts'

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
  if (COMMON_PASSWORDS.has(lower)) {
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

/** Passwords of 8 characters and more that attackers try first, in Tanzania and elsewhere. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 0987654321 987654321 9876543210 11111111
  111111111 1111111111 00000000 000000000 0000000000 22222222 55555555 66666666 77777777 88888888
  99999999 12341234 12121212 11223344 1122334455 123123123 123321123 147258369 159753456 741852963
  789456123 12344321 87654321 11112222 01234567 password password1 password12 password123
  password1234 password! passw0rd p@ssw0rd p@ssword pa$$word pa55word passwort passwords mypassword
  qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 1q2w3e4r 1q2w3e4r5t 1qaz2wsx
  1qazxsw2 zaq12wsx zxcvbnm1 zxcvbnm123 asdfghjk asdfghjkl asdf1234 asdfasdf abcd1234 abcdefgh
  abcdefg1 abc12345 abc123456 a1b2c3d4 aa123456 a12345678 a123456789 q1w2e3r4 iloveyou iloveyou1
  iloveyou2 sunshine princess football football1 baseball basketball superman batman123 starwars
  trustno1 welcome1 welcome123 admin123 admin1234 administrator letmein1 letmein123 whatever
  computer internet samsung1 samsung123 michelle jennifer jonathan danielle christian liverpool
  liverpool1 arsenal1 arsenal123 chelsea1 chelsea123 manchester barcelona realmadrid juventus
  changeme changeme1 changeme123 test1234 testtest testing1 testing123 guest1234 default1 secret123
  monkey123 dragon123 master123 shadow123 hello123 hello1234 helloworld google123 facebook
  facebook1 instagram whatsapp youtube1 tanzania tanzania1 tanzania12 tanzania123 tanzania2024
  tanzania2025 tanzania2026 daressalaam dodoma123 mwanza123 arusha123 zanzibar zanzibar1
  kilimanjaro serengeti kiswahili swahili123 nakupenda nakupenda1 nakupenda2 nakupendasana mpenzi123
  mpenziwangu mungunimwema munguwangu mungu123 asanteyesu yesuniwangu bwanayesu jesus123
  jesuschrist godisgood godislove blessing blessings yangasc123 yanga1935 simbasc123 simba1936
  simba123 yanga123 karibu123 nenosiri nenosiri1 nenosiri123 mlango123 vodacom1 vodacom123 airtel123
  halotel123 tigopesa mpesa123`.split(/\s+/),
)
