import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'

/** Who may say that the owner is at work, and why. */
const MAKERS: Record<string, string> = {
  'src/accounts/sessions/confirm-owner.ts': 'the password or a sign-in, and the second factor',
  'src/accounts/sessions/change-email.ts': 'its code is sent only after confirmOwner',
  'src/accounts/profile/passkeys.ts': 'its challenge is made only after confirmOwner',
  'src/accounts/sessions/verify.ts': 'a registration, or a number that confirmOwner let through',
  'src/accounts/sessions/password-reset.ts': 'a code that went to an address that signs in',
  'src/accounts/sessions/undo-change.ts': 'a link that went to the addresses of before',
  'src/accounts/sign-in/linking.ts': 'a new account, or an address that both sides have verified',
}

test('a proof of the owner is made where it is shown, and nowhere else', async () => {
  const makers: string[] = []
  for await (const path of glob('src/**/*.ts')) {
    if (/(?<!function )\bownerProof\(/.test(readFileSync(path, 'utf8'))) makers.push(path)
  }
  assert.deepEqual(makers.sort(), Object.keys(MAKERS).sort())
})

test('what changes how an account is signed in to takes a proof', async () => {
  const written =
    /\b(?:update accounts(?: a)? set|insert into (?:identities|recovery_codes|passkeys)|delete from (?:identities|passkeys))\b/
  const columns =
    /password_hash = |login_phone = |mfa_method = |totp_sealed = |insert into|delete from/
  const without: string[] = []
  for await (const path of glob('src/accounts/**/*-store.ts')) {
    for (const body of readFileSync(path, 'utf8')
      .split(/^export (?:async )?function /m)
      .slice(1)) {
      const statement = written.test(body) && columns.test(body)
      if (statement && !/OwnerProof/.test(body)) without.push(body.split('(')[0]!)
    }
  }
  // Erasing names nobody any more, time alone makes a number sign in, and a new MASTER_KEY changes
  // no secret that it seals.
  assert.deepEqual(without.sort(), [
    'deletePasskeys',
    'endWaiting',
    'eraseAccount',
    'resealTotp',
    'unlinkIdentities',
  ])
})
