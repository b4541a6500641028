import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import { askForPasskey } from '../../accounts/codes/passkeys.ts'
import { listPasskeys, renamePasskey, type Passkey } from '../../accounts/codes/passkeys-store.ts'
import { relyingParty } from '../../accounts/codes/relying-party.ts'
import { stepUpByPasskey, stepUpUse } from '../../accounts/codes/second-factor.ts'
import {
  addPasskey,
  noSuchPasskey,
  removePasskey,
  startPasskey,
} from '../../accounts/profile/passkeys.ts'
import { askAtLogin, loginWithPasskey } from '../../accounts/sessions/passkey-login.ts'
import { route, type Route } from '../../http/route.ts'
import { recoveryCodesShape, sessionShape } from '../account-shapes.ts'
import { asksForCookie, deviceOf, sessionAnswer } from './browser-session.ts'
import { line, ownerFields, stamp } from '../fields.ts'
import {
  assertionField,
  attestationField,
  creationOptionsShape,
  requestOptionsShape,
} from './webauthn-fields.ts'

/** Passkeys: one's own, and their part in signing in. */
export function passkeyRoutes(accounts: Accounts): Route[] {
  return [
    ...additionRoutes(accounts),
    listRoute(accounts),
    renameRoute(accounts),
    removeRoute(accounts),
    ...loginRoutes(accounts),
    ...stepUpRoutes(accounts),
  ]
}

const own = {
  tag: 'Passkeys',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

const nameField = line(1, 60).meta({ description: 'As you call it', example: 'My phone' })

const passkeyShape = z.object({
  id: z.uuid(),
  name: z.string(),
  backed_up: z.boolean().meta({
    description: 'It is kept with its owner’s other passkeys, so that it outlives the device',
  }),
  created_at: stamp,
  last_used_at: stamp.optional(),
})

function additionRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...own,
      method: 'POST',
      path: '/v1/me/passkeys/options',
      summary: 'Begin to add a passkey',
      description:
        'The answer is what `navigator.credentials.create` takes, in the JSON of WebAuthn. It is good once, for five minutes, in this session.',
      body: z.object(ownerFields),
      response: creationOptionsShape,
      refuses: ['conflict'],
      async handle({ principal, headers, body: { password, mfa_code: mfaCode } }) {
        const party = relyingParty(accounts.pages, headers)
        return { data: await startPasskey(accounts, principal, { party, password, mfaCode }) }
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: '/v1/me/passkeys',
      summary: 'Add a passkey: what the browser made of the options',
      description:
        'The first one turns the second factor on. Where there are no recovery codes yet, they are in the answer, once. You are told, with a link that undoes it for seven days.',
      successStatus: 201,
      body: z.object({ name: nameField, credential: attestationField }),
      response: passkeyShape.extend({ recovery_codes: recoveryCodesShape }),
      refuses: ['otp_invalid', 'otp_expired', 'conflict'],
      async handle({ principal, headers, body: { name, credential: attestation } }) {
        const party = relyingParty(accounts.pages, headers)
        const added = await addPasskey(accounts, principal, { party, name, attestation })
        return { data: { ...showPasskey(added.passkey), recovery_codes: added.recoveryCodes } }
      },
    }),
  ]
}

function listRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'GET',
    path: '/v1/me/passkeys',
    summary: 'List your passkeys, the oldest first',
    description: 'There are at most ten.',
    response: z.array(passkeyShape),
    async handle({ principal }) {
      return { data: (await listPasskeys(accounts.db, principal.accountId)).map(showPasskey) }
    },
  })
}

function renameRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'PATCH',
    path: '/v1/me/passkeys/:id',
    summary: 'Rename a passkey',
    description: 'The name is yours: it changes nothing else.',
    params: z.object({ id: z.guid().toLowerCase() }),
    body: z.object({ name: nameField }),
    response: passkeyShape,
    async handle({ principal: { accountId }, params: { id }, body: { name } }) {
      const renamed = await renamePasskey(accounts.db, { id, accountId, name })
      if (!renamed) throw noSuchPasskey()
      return { data: showPasskey(renamed) }
    },
  })
}

function removeRoute(accounts: Accounts): Route {
  return route({
    ...own,
    method: 'DELETE',
    path: '/v1/me/passkeys/:id',
    summary: 'Remove a passkey',
    description:
      'With the last one the second factor is off, unless another one is on beside it. You are told, with a link that undoes it for seven days.',
    params: z.object({ id: z.guid().toLowerCase() }),
    body: z.object(ownerFields).optional(),
    response: z.object({}),
    async handle({ principal, params: { id }, body }) {
      const { password, mfa_code: mfaCode } = body ?? {}
      await removePasskey(accounts, principal, { id, password, mfaCode })
      return { data: {} }
    },
  })
}

function loginRoutes(accounts: Accounts): Route[] {
  const shared = {
    tag: 'Authentication',
    credential: 'none',
    dialect: 'envelope',
    limit: 'sign_in',
    method: 'POST',
  } as const
  const challenge = z.object({
    challenge_id: z.uuid().meta({ description: 'Of the login that asked for a second factor' }),
  })
  return [
    route({
      ...shared,
      path: '/v1/auth/passkeys/options',
      summary: 'Begin to answer a login’s challenge with a passkey',
      description:
        'The answer is what `navigator.credentials.get` takes, in the JSON of WebAuthn. It is good once, for five minutes, for this login.',
      body: challenge,
      response: requestOptionsShape,
      refuses: ['otp_expired', 'forbidden'],
      async handle({ headers, body: { challenge_id: challengeId } }) {
        const party = relyingParty(accounts.pages, headers)
        return { data: await askAtLogin(accounts, party, challengeId) }
      },
    }),
    route({
      ...shared,
      path: '/v1/auth/passkeys/verify',
      summary: 'Finish a login with a passkey, and open a session',
      description: 'In place of a code to `POST /v1/auth/otp/verify`.',
      body: challenge.extend({ credential: assertionField }),
      response: sessionShape,
      refuses: ['otp_invalid', 'otp_expired', 'forbidden'],
      async handle(call) {
        const { challenge_id: challengeId, credential: assertion } = call.body
        const party = relyingParty(accounts.pages, call.headers)
        const cookie = asksForCookie(call.headers, accounts)
        const answer = { party, challengeId, assertion }
        return sessionAnswer(
          await loginWithPasskey(accounts, answer, deviceOf(call, cookie)),
          cookie,
        )
      },
    }),
  ]
}

function stepUpRoutes(accounts: Accounts): Route[] {
  const shared = { ...own, tag: 'Authentication', method: 'POST' } as const
  return [
    route({
      ...shared,
      path: '/v1/auth/step-up/passkey/options',
      summary: 'Begin to show one of your passkeys again',
      description:
        'The answer is what `navigator.credentials.get` takes, in the JSON of WebAuthn. It is good once, for five minutes, in this session.',
      response: requestOptionsShape,
      refuses: ['forbidden'],
      async handle({ principal, headers }) {
        const party = relyingParty(accounts.pages, headers)
        return { data: await askForPasskey(accounts.db, party, stepUpUse(principal)) }
      },
    }),
    route({
      ...shared,
      path: '/v1/auth/step-up/passkey',
      summary: 'Show again that you have your passkey',
      description:
        'Some changes ask for a second factor of the last ten minutes: show a passkey here, then repeat the change.',
      body: z.object({ credential: assertionField }),
      response: z.object({ fresh_for_s: z.int() }),
      refuses: ['otp_invalid', 'otp_expired', 'forbidden'],
      async handle({ principal, headers, body: { credential: assertion } }) {
        const party = relyingParty(accounts.pages, headers)
        return { data: await stepUpByPasskey(accounts, principal, { party, assertion }) }
      },
    }),
  ]
}

function showPasskey(passkey: Passkey): z.infer<typeof passkeyShape> {
  return {
    id: passkey.id,
    name: passkey.name,
    backed_up: passkey.backedUp,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.usedAt?.toISOString(),
  }
}
