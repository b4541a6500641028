import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import { changePhone } from '../accounts/profile/phone.ts'
import { deleteOwnAccount } from '../accounts/profile/deletion.ts'
import { changeProfile, readProfile } from '../accounts/profile/profile.ts'
import { route, type Route } from '../http/route.ts'
import { changedProfileShape, profileShape } from './account-shapes.ts'
import { E164, codeField, line, ownerFields, webAddressField } from './fields.ts'
import { deviceOf } from './console/browser-session.ts'
import { meIdentityRoutes } from './console/me-identities.ts'
import { meSignInRoutes } from './console/me-sign-in.ts'
import { passkeyRoutes } from './console/passkeys.ts'
import { securityEventsRoute } from './console/security-events.ts'

export function meRoutes(accounts: Accounts): Route[] {
  return [
    readRoute(accounts),
    changeRoute(accounts),
    deleteRoute(accounts),
    phoneRoute(accounts),
    ...meSignInRoutes(accounts),
    ...meIdentityRoutes(accounts),
    ...passkeyRoutes(accounts),
    securityEventsRoute(accounts),
  ]
}

const own = {
  path: '/v1/me',
  tag: 'Profile',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

function readRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'GET',
    summary: 'Read your profile',
    description: 'Members that are not set are left out.',
    response: profileShape,
    handle: async (call) => ({ data: await readProfile(accounts, call.principal.accountId) }),
  })
}

function changeRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'PATCH',
    summary: 'Change your profile or second factor',
    description:
      'Send only what changes. `mfa_method: totp` answers with a secret for an authenticator app, and counts once its first `totp_code` has been sent. A change of the second factor asks for `password` and for the present second factor; it is told to you, with a link that undoes it for seven days.',
    body: z.object({
      full_name: line(1, 120).optional(),
      avatar_url: webAddressField.optional(),
      locale: z.enum(['sw', 'en']).optional(),
      mfa_method: z.enum(['none', 'totp', 'email', 'phone', 'passkey']).optional().meta({
        description:
          'passkey: nothing but the passkeys that the account has. While it has any, none is refused',
      }),
      totp_code: codeField.optional().meta({
        description:
          'The first code of a new authenticator app; when leaving totp, a code of the present one',
      }),
      recovery_codes: z
        .literal(true, 'must be true')
        .optional()
        .meta({ description: 'Make new recovery codes; the ones before stop working' }),
      ...ownerFields,
    }),
    response: changedProfileShape,
    refuses: ['conflict'],
    async handle(call) {
      const { full_name, avatar_url, locale, mfa_method, totp_code, mfa_code, password } = call.body
      const change = {
        fullName: full_name,
        avatarUrl: avatar_url,
        locale,
        mfaMethod: mfa_method,
        totpCode: totp_code,
        recoveryCodes: call.body.recovery_codes,
        mfaCode: mfa_code,
        password,
      }
      return { data: await changeProfile(accounts, call.principal, change) }
    },
  })
}

function deleteRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'DELETE',
    summary: 'Delete your account',
    description:
      'It is unusable at once, with its sessions and API keys; video jobs that run are cancelled, uncharged. You are told at your verified addresses. Credits are not paid out. For 30 days the operator can restore the account; after that what names you is erased.',
    body: z
      .object({
        password: z.string().max(128).optional().meta({
          description:
            'Asked for by our own pages. Where it is sent it must be right; an account without one must have signed in within the last ten minutes',
        }),
      })
      .optional(),
    response: z.object({}),
    async handle({ principal, body }) {
      await deleteOwnAccount(accounts, principal, body?.password)
      return { data: {} }
    },
  })
}

function phoneRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'POST',
    path: '/v1/me/phone',
    summary: 'Add or change your phone number',
    description:
      'A code goes to the number; send it to `POST /v1/auth/otp/verify` with the purpose `verify_phone`. A top-up needs a phone number. For signing in, resets and codes it is good at once where the request has `password`, or the session signed in within the last ten minutes (with the second factor, where there is one); else after seven days, in which the number before it stays good for these. You are told at your addresses, with a link that undoes the change.',
    body: z.object({
      phone_number: z.string().max(64).meta({ override: E164 }),
      ...ownerFields,
    }),
    response: z.object({ pending_verification: z.literal(true) }),
    refuses: ['conflict'],
    async handle(call) {
      const { phone_number: phoneNumber, mfa_code: mfaCode, password } = call.body
      const device = deviceOf(call)
      await changePhone(accounts, call.principal, { phoneNumber, mfaCode, password, device })
      return { data: { pending_verification: true } }
    },
  })
}
