import { z } from 'zod'
import { readEmail, readPhone } from '../accounts/identifiers.ts'
import { visibleText } from '../lib/visible-text.ts'

/** One line of text for people: trimmed, bounded, nothing invisible, nothing that moves a cursor. */
export function line(low: number, high: number) {
  const size = `must be ${low} to ${high} characters`
  return z
    .string()
    .overwrite(visibleText)
    .trim()
    .min(low, size)
    .max(high, size)
    .refine((text) => text.length > high || !MOVES.test(text), 'must be one line of text')
}

/** Control characters, and those that end a line or a paragraph. */
const MOVES = /[\p{Cc}\p{Zl}\p{Zp}]/u

export const emailField = z
  .string()
  .max(320)
  .transform((text, context) => {
    const email = readEmail(text)
    if (email !== undefined) return email
    context.addIssue('must be an email address')
    return z.NEVER
  })
  .meta({ format: 'email', example: 'asha@example.com' })

/** As the OpenAPI document says it; `readPhone` judges. */
export const E164 = { pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16 }

export const phoneField = z
  .string()
  .max(32)
  .transform((text, context) => {
    const phone = readPhone(text)
    if (phone !== undefined) return phone
    context.addIssue('must be a mobile number in international format, such as +255712345678')
    return z.NEVER
  })
  .meta({ override: E164 })

export const identifierField = z.string().min(1).max(254)
export const codeField = z.string().regex(/^[0-9]{6}$/, 'must be six digits')
/** Where an authenticator app is asked for, one of its recovery codes does as well. */
export const codeOrRecoveryField = z
  .string()
  .regex(
    /^([0-9]{6}|[A-Za-z2-7]{4}(-[A-Za-z2-7]{4}){3})$/,
    'must be six digits, or a recovery code such as ABCD-EFGH-2345-WXYZ',
  )
const RECOVERY = /^[A-Za-z2-7]{4}(-[A-Za-z2-7]{4}){3}$/
export const recoveryField = z
  .string()
  .regex(RECOVERY, 'must be a recovery code such as ABCD-EFGH-2345-WXYZ')
/** The rules are checked with the account; this only keeps a megabyte from being read. */
export const passwordField = z
  .string()
  .max(1024, 'must be 8 to 128 characters')
  .meta({ override: { minLength: 8, maxLength: 128 } })

/** What shows the owner, on every route that changes a way in or a second factor. */
export const ownerFields = {
  password: passwordField.optional().meta({
    description:
      'Required where the account has a password, unless this session signed in, or sent it, within the last ten minutes',
  }),
  mfa_code: codeOrRecoveryField.optional().meta({
    description:
      'The second factor, where there is one, unless it was given in this session within the last ten minutes. With a passkey, `POST /v1/auth/step-up/passkey` gives it, and codes that are sent do not count',
  }),
}

/** The length first, in a step of its own: to parse 5 MB as an address takes a third of a second. */
export const webAddressField = z
  .string()
  .max(2048)
  .pipe(z.url({ protocol: /^https?$/, message: 'must be an http or https URL' }))
  .meta({ format: 'uri' })

const A_MOMENT = 'must be an RFC 3339 time, such as 2026-01-31T08:00:00Z'

/** RFC 3339; `+99:99` has the form but is no time. */
export const momentField = z
  .string()
  .max(64, A_MOMENT)
  .pipe(
    z.iso
      .datetime({ offset: true, message: A_MOMENT })
      .refine((text) => !Number.isNaN(Date.parse(text)), A_MOMENT)
      .transform((text) => new Date(text)),
  )
  .meta({ format: 'date-time' })

export const stamp = z.iso.datetime()

/** A whole number in a query, which arrives as text. */
export const wholeField = (low: number, high: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(low).max(high))
    .meta({
      override: ({ jsonSchema }) => {
        Object.assign(jsonSchema, { type: 'integer', minimum: low, maximum: high })
        delete jsonSchema.pattern
      },
    })

/** Of a route that anybody may read, per address: a mobile network is one address. */
export const PUBLIC_PER_MINUTE = 600

export const MAX_LIMIT = 200
/** More than anybody pages through, and still fast to read. */
export const MAX_OFFSET = 1_000_000

/** `limit` and `offset` of every list: spread it into a query schema. */
export const pageQuery = {
  limit: wholeField(1, MAX_LIMIT)
    .default(50)
    .meta({ description: 'How many to list', override: { default: 50 } }),
  offset: wholeField(0, MAX_OFFSET)
    .default(0)
    .meta({ description: 'How many to leave out before them', override: { default: 0 } }),
}

/** The member beside `data` in every list. */
export function pagination(
  { limit, offset }: { limit: number; offset: number },
  { total, hasMore }: { total: number; hasMore: boolean },
) {
  return { pagination: { limit, offset, total, has_more: hasMore } }
}

const MODEL_NAME = z.string().min(1).max(256)

/** What a caller wants of whoever answers. */
const wishFields = {
  require_parameters: z.boolean().nullish().meta({
    description: 'Only models that know every parameter of this request; else 400 names the field',
  }),
  provider: z
    .looseObject({
      sort: z.enum(['price', 'throughput', 'latency']).nullish().meta({
        description: '`price`: of several models the cheapest for this request is asked first',
      }),
      max_price: z
        .looseObject({})
        .nullish()
        .meta({
          description:
            'The most you pay: `prompt` and `completion` in dollars a million tokens, `request` and `image` each. A model that costs more is not asked.',
          example: { prompt: 1, completion: 5 },
        }),
      allow_fallbacks: z.boolean().nullish().meta({
        description: 'false: of each model only one place that runs it is asked',
      }),
      require_parameters: z.boolean().nullish(),
      data_collection: z.enum(['allow', 'deny']).nullish().meta({
        description: '`deny`: only places that can be told to keep nothing of the request',
      }),
    })
    .nullish()
    .meta({
      description:
        'Wishes for who answers. Members that choose a provider by name (`order`, `only`, `ignore`) are ignored and named in `X-Ignored-Parameters`.',
    }),
}

export const choiceFields = {
  models: z
    .array(MODEL_NAME)
    .max(4)
    .nullish()
    .meta({
      description:
        'Other models, asked in this order where `model` does not answer; at most 4 with it. As much is held as the dearest of them may need; the one that answered is charged, and named in `model`.',
      example: ['sim/hekima-mini'],
    }),
  ...wishFields,
}

const TOKENS = z.int().min(1).max(10_000_000)

/** The same for Messages. */
export const fallbackFields = {
  fallbacks: z
    .union(
      [
        z.literal('default'),
        z
          .array(
            z.looseObject({
              model: MODEL_NAME,
              max_tokens: TOKENS.nullish(),
              thinking: z.looseObject({}).nullish(),
              output_config: z.looseObject({}).nullish(),
            }),
          )
          .max(3),
      ],
      'must be "default" or a list of at most 3 objects with a model and what is different for it',
    )
    .nullish()
    .meta({
      description:
        'Other models, asked in this order where `model` does not answer. As much is held as the dearest of them may need; the one that answered is charged, and named in `model`.',
    }),
  ...wishFields,
}

const sessionField = z.string().max(1_024).nullish()

/** What a caller calls a conversation. */
export const sessionFields = {
  session_id: sessionField.meta({
    description:
      'Your name for the conversation, or the header `x-session-id`. Its turns go to the same place while that is up, so that what was read before is charged as cached. It leaves here as a hash.',
    example: 'mazungumzo-7',
  }),
  prompt_cache_key: sessionField.meta({
    description: 'The same, under the name that OpenAI has for it',
  }),
}
