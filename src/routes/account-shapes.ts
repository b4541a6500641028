import { z } from 'zod'
import { stamp } from './fields.ts'

/** What the account routes answer, for the OpenAPI document. */

const factorShape = z.enum(['totp', 'email', 'phone', 'passkey'])

export const profileShape = z.object({
  id: z.uuid(),
  full_name: z.string(),
  avatar_url: z.url().optional(),
  email: z.email().optional(),
  phone_number: z.string().optional(),
  email_verified: z.boolean(),
  phone_verified: z.boolean(),
  phone_signs_in_at: stamp.optional().meta({
    description:
      'A verified number that was set without the password signs in only from then on; until then the one before does',
  }),
  status: z.enum(['pending_verification', 'active', 'suspended']),
  role: z.enum(['user', 'admin']),
  locale: z.enum(['sw', 'en']),
  mfa_method: factorShape.optional(),
  created_at: stamp,
})

export const recoveryCodesShape = z.array(z.string()).optional().meta({
  description:
    'Shown once. Each works once: in place of the second factor, or for a reset by SMS where codes by SMS are the second factor',
})

export const changedProfileShape = profileShape.extend({
  totp: z.object({ secret: z.string(), uri: z.string() }).optional(),
  recovery_codes: recoveryCodesShape,
})

export const sessionShape = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int(),
  refresh_token: z
    .string()
    .optional()
    .meta({ description: 'Absent with `X-Mlango-Session: cookie`: then it is in a cookie' }),
  refresh_expires_in: z.number().int().optional(),
  user: profileShape,
})

export const challengeShape = z.object({
  mfa_required: z.literal(true),
  challenge_id: z.uuid(),
  channel: z
    .enum(['email', 'phone', 'totp'])
    .meta({ description: 'What `POST /v1/auth/otp/verify` takes; totp takes recovery codes too' }),
  mfa_method: factorShape.meta({
    description: 'What is asked for. With passkey, `POST /v1/auth/passkeys/options` comes next',
  }),
  other_methods: z
    .array(factorShape)
    .meta({ description: 'What may be given in its place. Codes are sent on request then' }),
  masked: z.string(),
  expires_in: z.number().int(),
})

/** Of an identity that was signed in with: its account is named by its id. */
export const identityChallengeShape = challengeShape.extend({
  identifier: z.uuid().meta({
    description: 'Send it to `POST /v1/auth/otp/verify` and `/resend` as the identifier',
  }),
  created: z.literal(false),
})

export const pendingShape = z.object({
  pending_verification: z.literal(true),
  identifier: z.string(),
  channel: z.enum(['email', 'phone']),
  purpose: z.enum(['verify_email', 'verify_phone']),
  expires_in: z.number().int(),
  resend_after: z.number().int(),
})

export const sentShape = z.object({
  sent: z.literal(true),
  expires_in: z.number().int(),
  resend_after: z.number().int(),
})

export const workspaceShape = z.object({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  description: z.string().optional(),
  is_default: z.boolean(),
  created_at: stamp,
  updated_at: stamp,
})

export const keyShape = z.object({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string(),
  last4: z.string(),
  workspace_id: z.uuid(),
  workspace_slug: z.string(),
  scopes: z.array(z.literal('gateway:use')),
  status: z.enum(['active', 'revoked', 'expired']),
  created_at: stamp,
  last_used_at: stamp.optional(),
  expires_at: stamp.optional(),
})
