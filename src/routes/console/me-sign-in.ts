import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import { readMfa } from '../../accounts/profile/profile.ts'
import { finishEmailChange, startEmailChange } from '../../accounts/sessions/change-email.ts'
import { changePassword } from '../../accounts/sessions/change-password.ts'
import { endOwnSession } from '../../accounts/sessions/sessions.ts'
import { listSessions, type LiveSession } from '../../accounts/credentials/sessions-store.ts'
import { route, type Route } from '../../http/route.ts'
import { profileShape } from '../account-shapes.ts'
import { codeField, emailField, ownerFields, passwordField, stamp } from '../fields.ts'

/** How the account is signed in to: its email address, password, second factor and sessions. */
export function meSignInRoutes(accounts: Accounts): Route[] {
  return [...emailRoutes(accounts), passwordRoute(accounts), ...sessionRoutes(accounts)]
}

const shared = {
  tag: 'Profile',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

function emailRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/me/email',
      summary: 'Change your email address',
      description: 'A code goes to the new one; until you send it back, nothing changes.',
      body: z.object({
        email: emailField,
        ...ownerFields,
      }),
      response: z.object({
        pending_verification: z.literal(true),
        email: z.email(),
        expires_in: z.int(),
        resend_after: z.int(),
      }),
      refuses: ['conflict'],
      async handle({ principal, body: { email, password, mfa_code: mfaCode } }) {
        return { data: await startEmailChange(accounts, principal, { email, password, mfaCode }) }
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/me/email/verify',
      summary: 'Confirm your new email address with the code that was sent to it',
      description: 'From then on it is what you log in with.',
      body: z.object({ email: emailField, code: codeField }),
      response: profileShape,
      refuses: ['conflict'],
      async handle({ principal, body }) {
        return { data: await finishEmailChange(accounts, principal, body) }
      },
    }),
  ]
}

function passwordRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/me/password',
    summary: 'Change your password. Every other session ends',
    description: 'An account that came from a social sign-in has none until one is set here.',
    body: z.object({
      current_password: ownerFields.password,
      new_password: passwordField,
      mfa_code: ownerFields.mfa_code,
    }),
    response: z.object({}),
    async handle({ principal, body }) {
      const { current_password: current, new_password: next, mfa_code: mfaCode } = body
      await changePassword(accounts, principal, { current, next, mfaCode })
      return { data: {} }
    },
  })
}

const liveSessionShape = z.object({
  id: z.uuid(),
  kind: z.enum(['browser', 'app']),
  device: z.object({ browser: z.string().optional(), system: z.string().optional() }),
  created_at: stamp,
  last_used_at: stamp,
  current: z.boolean(),
})

function sessionRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/me/sessions',
      summary: 'List where you are signed in, the session used last first',
      description: '`current` marks the session of the access token that asks.',
      response: z.array(liveSessionShape),
      async handle({ principal: { accountId, sessionId } }) {
        const sessions = await listSessions(accounts.db, accountId)
        return { data: sessions.map((session) => showSession(session, sessionId)) }
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/me/sessions/:id',
      summary: 'End a session',
      description: 'Its tokens stop working at once.',
      params: z.object({ id: z.guid().toLowerCase() }),
      response: z.object({}),
      async handle({ principal: { accountId }, params: { id } }) {
        await endOwnSession(accounts, { accountId, id })
        return { data: {} }
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/me/mfa',
      summary:
        'Read which second factor you have, how many passkeys, and how many recovery codes are left',
      description: '`PATCH /v1/me` changes it and makes new recovery codes.',
      response: z.object({
        method: z.enum(['none', 'totp', 'email', 'phone', 'passkey']),
        passkeys: z.int(),
        recovery_codes_left: z.int(),
      }),
      handle: async ({ principal }) => ({ data: await readMfa(accounts, principal.accountId) }),
    }),
  ]
}

function showSession(session: LiveSession, currentId: string): z.infer<typeof liveSessionShape> {
  return {
    id: session.id,
    kind: session.cookie ? 'browser' : 'app',
    device: { browser: session.browser, system: session.system },
    created_at: session.createdAt.toISOString(),
    last_used_at: session.usedAt.toISOString(),
    current: session.id === currentId,
  }
}
