import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import { bearerOf } from '../accounts/authenticator.ts'
import { login } from '../accounts/sessions/login.ts'
import { refresh } from '../accounts/sessions/refresh.ts'
import { register } from '../accounts/sessions/register.ts'
import { logout } from '../accounts/sessions/sessions.ts'
import { resendCode } from '../accounts/codes/resend.ts'
import { verifyCode } from '../accounts/sessions/verify.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { challengeShape, pendingShape, sentShape, sessionShape } from './account-shapes.ts'
import { open } from './auth-open.ts'
import { keysRoute, passwordRoutes } from './auth-passwords.ts'
import { deviceOf, sessionOf } from './caller.ts'
import {
  codeField,
  emailField,
  identifierField,
  line,
  passwordField,
  phoneField,
} from './fields.ts'

export function authRoutes(room: Accounts): Route[] {
  return [
    registerRoute(room),
    ...codeRoutes(room),
    ...sessionRoutes(room),
    ...passwordRoutes(room),
    keysRoute(room),
  ]
}

function registerRoute(room: Accounts): Route {
  return route({
    ...open,
    path: '/v1/auth/register',
    summary: 'Create an account, pending verification',
    successStatus: 201,
    body: z.object({
      full_name: line(1, 120),
      email: emailField.optional(),
      phone_number: phoneField.optional(),
      password: passwordField,
    }),
    response: pendingShape,
    async handle({ body }) {
      const { full_name: fullName, phone_number: phoneNumber, email, password } = body
      return { data: await register(room, { fullName, email, phoneNumber, password }) }
    },
  })
}

function codeRoutes(room: Accounts): Route[] {
  const challenge = z.object({
    identifier: identifierField,
    channel: z.enum(['email', 'phone', 'totp']),
    challenge_id: z.uuid().optional(),
  })
  return [
    route({
      ...open,
      path: '/v1/auth/otp/verify',
      summary: 'Answer a code; returns a session',
      body: challenge.extend({
        purpose: z.enum(['verify_email', 'verify_phone', 'login_mfa']),
        code: codeField,
      }),
      response: sessionShape,
      async handle(call) {
        const { challenge_id: challengeId, ...given } = call.body
        return { data: await verifyCode(room, { ...given, challengeId }, deviceOf(call)) }
      },
    }),
    route({
      ...open,
      path: '/v1/auth/otp/resend',
      summary: 'Send a code again',
      body: challenge.extend({
        purpose: z.enum(['verify_email', 'verify_phone', 'login_mfa', 'reset_password']),
      }),
      response: sentShape,
      async handle({ body: { challenge_id: challengeId, ...wish } }) {
        return { data: await resendCode(room, { ...wish, challengeId }) }
      },
    }),
  ]
}

function sessionRoutes(room: Accounts): Route[] {
  return [
    route({
      ...open,
      path: '/v1/auth/login',
      summary: 'Start a session or an MFA challenge',
      body: z.object({ identifier: identifierField, password: z.string() }),
      response: z.union([sessionShape, challengeShape]),
      handle: async (call) => ({ data: await login(room, call.body, deviceOf(call)) }),
    }),
    route({
      ...open,
      path: '/v1/auth/refresh',
      summary: 'Rotate the token pair; the refresh token comes in the body or as the bearer',
      body: z.object({ refresh_token: z.string().max(4096).optional() }).optional(),
      response: sessionShape,
      async handle({ body, headers }) {
        const token = body?.refresh_token ?? bearerOf(headers.authorization as string | undefined)
        return { data: await refresh(room, token ?? '') }
      },
    }),
    route({
      ...open,
      path: '/v1/auth/logout',
      summary: 'End this session, the one of a refresh token, or all',
      credential: 'jwt',
      limit: 'principal',
      body: z
        .object({ refresh_token: z.string().max(4096).optional(), all: z.boolean().optional() })
        .optional(),
      response: z.object({}),
      async handle(call) {
        const { refresh_token: refreshToken, all } = call.body ?? {}
        await logout(room, sessionOf(call), { refreshToken, all })
        return { data: {} }
      },
    }),
  ]
}
