import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import { bearerOf } from '../accounts/authenticator.ts'
import { login } from '../accounts/sessions/login.ts'
import { forgotPassword, resetPassword } from '../accounts/sessions/password-reset.ts'
import { refresh } from '../accounts/sessions/refresh.ts'
import { register } from '../accounts/sessions/register.ts'
import { logout } from '../accounts/sessions/sessions.ts'
import { resendCode } from '../accounts/codes/resend.ts'
import { stepUp } from '../accounts/codes/second-factor.ts'
import { undoChange } from '../accounts/sessions/undo-change.ts'
import { verifyCode } from '../accounts/sessions/verify.ts'
import { route, type Route } from '../http/route.ts'
import { challengeShape, pendingShape, sentShape, sessionShape } from './account-shapes.ts'
import {
  asksForCookie,
  clearRefreshCookie,
  cookieSession,
  deviceOf,
  localeAsked,
  refreshCookie,
  sessionAnswer,
} from './console/browser-session.ts'
import {
  codeField,
  codeOrRecoveryField,
  emailField,
  identifierField,
  line,
  passwordField,
  phoneField,
  recoveryField,
} from './fields.ts'

export function authRoutes(accounts: Accounts): Route[] {
  return [
    registerRoute(accounts),
    ...codeRoutes(accounts),
    ...sessionRoutes(accounts),
    stepUpRoute(accounts),
    ...passwordRoutes(accounts),
    undoRoute(accounts),
    keysRoute(accounts),
  ]
}

/** No credential is needed for these, so they are counted per address. */
const open = {
  method: 'POST',
  tag: 'Authentication',
  credential: 'none',
  dialect: 'envelope',
  limit: 'auth',
} as const

/** Of these, only failures are counted per address. */
const signIn = { ...open, limit: 'sign_in' } as const

function registerRoute(accounts: Accounts): Route {
  return route({
    ...open,
    path: '/v1/auth/register',
    summary: 'Create an account, which has to be verified with a code',
    description:
      'Send an email address or a phone number. A six-digit code goes there, good for ten minutes; `POST /v1/auth/otp/verify` takes it and opens the first session. Where somebody else has registered with the same address meanwhile, no password counts until you reset it.',
    successStatus: 201,
    body: z.object({
      full_name: line(1, 120),
      email: emailField.optional(),
      phone_number: phoneField.optional(),
      password: passwordField,
      locale: z.enum(['sw', 'en']).optional().meta({
        description:
          'The language of our messages. Left out: the one that Accept-Language prefers, else Kiswahili',
      }),
    }),
    response: pendingShape,
    refuses: ['conflict'],
    async handle(call) {
      const { full_name: fullName, phone_number: phoneNumber, email, password } = call.body
      const locale = call.body.locale ?? localeAsked(call.headers)
      const registration = { fullName, email, phoneNumber, password, locale }
      return { data: await register(accounts, registration, deviceOf(call)) }
    },
  })
}

function stepUpRoute(accounts: Accounts): Route {
  return route({
    method: 'POST',
    tag: 'Authentication',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    path: '/v1/auth/step-up',
    summary: 'Show again that you have your authenticator app',
    description:
      'Some changes ask for a code of the last ten minutes: send one here, then repeat the change.',
    body: z.object({ code: codeField }),
    response: z.object({ fresh_for_s: z.int() }),
    async handle({ principal, body }) {
      return { data: await stepUp(accounts, principal, body.code) }
    },
  })
}

function codeRoutes(accounts: Accounts): Route[] {
  const challenge = z.object({
    identifier: identifierField,
    channel: z.enum(['email', 'phone', 'totp']),
    challenge_id: z.uuid().optional(),
  })
  return [
    route({
      ...signIn,
      path: '/v1/auth/otp/verify',
      summary: 'Verify a code and open a session, or get the MFA challenge that a login gets',
      description:
        'A code is good for ten minutes, and for five tries of whoever asked for it. The first verification of an account adds its free credits.',
      body: challenge.extend({
        purpose: z.enum(['verify_email', 'verify_phone', 'login_mfa']),
        code: codeOrRecoveryField.meta({
          description:
            'Six digits. For login_mfa with channel totp, a recovery code (ABCD-EFGH-2345-WXYZ) does too',
        }),
      }),
      response: z.union([sessionShape, challengeShape]),
      refuses: ['unauthorized', 'forbidden', 'conflict'],
      async handle(call) {
        const { challenge_id: challengeId, ...answer } = call.body
        const cookie = asksForCookie(call.headers, accounts)
        const device = deviceOf(call, cookie)
        return sessionAnswer(await verifyCode(accounts, { ...answer, challengeId }, device), cookie)
      },
    }),
    route({
      ...open,
      path: '/v1/auth/otp/resend',
      summary: 'Request a code again',
      description:
        'Repeats what was asked for from the same device or network, once a minute. The answer is the same whether there is such an account or not.',
      body: challenge.extend({
        purpose: z.enum(['verify_email', 'verify_phone', 'login_mfa', 'reset_password']),
      }),
      response: sentShape,
      async handle(call) {
        const { challenge_id: challengeId, ...request } = call.body
        return { data: await resendCode(accounts, { ...request, challengeId }, deviceOf(call)) }
      },
    }),
  ]
}

function sessionRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...signIn,
      path: '/v1/auth/login',
      summary: 'Log in. Opens a session, or asks for a second factor',
      description:
        'With a second factor the answer has `mfa_required` and a `challenge_id`: send the code to `POST /v1/auth/otp/verify` with the purpose `login_mfa`. Where `mfa_method` is passkey, `POST /v1/auth/passkeys/options` comes next; a code by SMS or email is then sent only on request.',
      body: z.object({ identifier: identifierField, password: z.string() }),
      response: z.union([sessionShape, challengeShape]),
      refuses: ['invalid_credentials', 'forbidden'],
      async handle(call) {
        const cookie = asksForCookie(call.headers, accounts)
        return sessionAnswer(await login(accounts, call.body, deviceOf(call, cookie)), cookie)
      },
    }),
    route({
      ...signIn,
      limitedBy: cookieSession,
      path: '/v1/auth/refresh',
      summary: 'Exchange a refresh token, sent in the body or as the bearer, for new tokens',
      description:
        'A refresh token works once: keep the new one. Whoever uses an old one again ends the session.',
      body: z.object({ refresh_token: z.string().max(4096).optional() }).optional(),
      response: sessionShape,
      refuses: ['unauthorized', 'forbidden'],
      async handle({ body, headers }) {
        const cookie = asksForCookie(headers, accounts)
        const sent = body?.refresh_token ?? bearerOf(headers.authorization as string | undefined)
        const token = cookie ? refreshCookie(headers) : sent
        return sessionAnswer(await refresh(accounts, token ?? '', cookie), cookie)
      },
    }),
    route({
      ...open,
      path: '/v1/auth/logout',
      summary: 'End this session, the session of a refresh token, or all sessions',
      description:
        'With `all` every session of the account ends. Access tokens stop working at once.',
      credential: 'jwt',
      limit: 'principal',
      body: z
        .object({ refresh_token: z.string().max(4096).optional(), all: z.boolean().optional() })
        .optional(),
      response: z.object({}),
      async handle(call) {
        const { refresh_token: refreshToken, all } = call.body ?? {}
        const cookie = asksForCookie(call.headers, accounts)
        const cookieToken = cookie ? refreshCookie(call.headers) : undefined
        await logout(accounts, call.principal, { refreshToken, cookieToken, all })
        return { data: {}, headers: cookie ? clearRefreshCookie() : undefined }
      },
    }),
  ]
}

function passwordRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...open,
      path: '/v1/auth/password/forgot',
      summary: 'Request a code to reset your password',
      description: 'The answer is the same whether there is such an account or not.',
      body: z.object({ identifier: identifierField }),
      response: sentShape,
      handle: async (call) => ({
        data: await forgotPassword(accounts, call.body.identifier, deviceOf(call)),
      }),
    }),
    route({
      ...signIn,
      path: '/v1/auth/password/reset',
      summary: 'Set a new password with a reset code. Every session ends',
      description:
        'The code comes from `POST /v1/auth/password/forgot`. Log in again afterwards. Where codes by SMS are the second factor, a reset by phone asks for a recovery code too.',
      body: z.object({
        identifier: identifierField,
        code: codeField,
        new_password: passwordField,
        recovery_code: recoveryField.optional().meta({
          description:
            'For a reset by phone of an account whose second factor is a code by SMS: one SIM must not be enough for both',
        }),
      }),
      response: z.object({}),
      refuses: ['forbidden'],
      async handle(call) {
        const { identifier, code, new_password: newPassword } = call.body
        const recoveryCode = call.body.recovery_code
        const reset = { identifier, code, newPassword, recoveryCode }
        await resetPassword(accounts, reset, deviceOf(call))
        return { data: {} }
      },
    }),
  ]
}

function undoRoute(accounts: Accounts): Route {
  return route({
    ...signIn,
    path: '/v1/auth/undo',
    summary: 'Undo a change of how you sign in, with the link of the message about it',
    description:
      'For seven days. You sign in as before the change, with a new password: request a code with `POST /v1/auth/password/forgot`. Every session ends, and every API key made since is revoked. Opening the link changes nothing; this does.',
    body: z.object({
      token: z
        .string()
        .regex(/^[\w-]{22}$/, 'must be what follows the # in the link')
        .meta({
          description: 'What follows the `#` in the link',
          example: 'kJ3v0Qm8RtY5xZ1aWc7NbA',
        }),
    }),
    response: z.object({}),
    refuses: ['gone', 'conflict'],
    async handle({ body }) {
      await undoChange(accounts, body.token)
      return { data: {} }
    },
  })
}

const publicKeyShape = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
})

/** A plain key set, not an envelope: libraries that verify tokens read nothing else. */
function keysRoute(accounts: Accounts): Route {
  return route({
    ...open,
    method: 'GET',
    path: '/v1/auth/jwks.json',
    summary: 'Read the public keys that verify access tokens',
    description: 'A JSON Web Key Set, as libraries for JWT read it: not an envelope.',
    limit: 'none',
    response: z.object({ keys: z.array(publicKeyShape) }),
    bare: true,
    async handle() {
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
        body: JSON.stringify({ keys: await accounts.signer.publicKeys() }),
      }
    },
  })
}
