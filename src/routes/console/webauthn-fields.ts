import { z } from 'zod'
import { TRANSPORTS } from '../../accounts/codes/webauthn.ts'

/*
 * What browsers send and take of passkeys, in the JSON of WebAuthn. Of what they send, only these
 * members are read. The lengths are beyond every real one: whatever is longer is not looked at.
 */

function base64url(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url')
}

const sent = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
}

export const attestationField = z
  .object({
    ...sent,
    response: z.object({
      clientDataJSON: base64url(4_000),
      attestationObject: base64url(8_000),
      transports: z.array(z.string().max(32)).max(10).optional(),
    }),
  })
  .meta({ description: 'What `navigator.credentials.create` has made' })

export const assertionField = z
  .object({
    ...sent,
    response: z.object({
      clientDataJSON: base64url(4_000),
      authenticatorData: base64url(4_000),
      signature: base64url(2_000),
    }),
  })
  .meta({ description: 'What `navigator.credentials.get` has signed' })

const credentialShape = z.object({
  type: z.literal('public-key'),
  id: z.string(),
  transports: z.array(z.enum(TRANSPORTS)),
})

export const requestOptionsShape = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.int(),
  userVerification: z.literal('preferred'),
  allowCredentials: z.array(credentialShape),
})

export const creationOptionsShape = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  attestation: z.literal('none'),
  authenticatorSelection: z.object({
    residentKey: z.literal('preferred'),
    userVerification: z.literal('preferred'),
  }),
  excludeCredentials: z.array(credentialShape),
})
