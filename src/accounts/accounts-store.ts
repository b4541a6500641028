import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import { ACCOUNT, type Account } from './account.ts'
import type { Identifier } from './identifiers.ts'
import type { OwnerProof } from './owner-proof.ts'

/** Makes transactions about the same identifier run one after the other. */
export async function lockIdentifier(tx: Tx, value: string): Promise<void> {
  await tx.read('select pg_advisory_xact_lock(hashtextextended($1, 2020))', [value])
}

/** Serialises whatever counts an account's rows (keys, workspaces) or deletes the account. */
export async function lockAccount(tx: Tx, id: string): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where id = $1 and deleted_at is null for update`,
    [id],
  )
  return ACCOUNT.first(rows)
}

export async function findAccount(tx: Tx, id: string): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where id = $1 and deleted_at is null`,
    [id],
  )
  return ACCOUNT.first(rows)
}

/** The proven owner of an identifier, if there is one. */
export async function findOwner(tx: Tx, who: Identifier): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where deleted_at is null and ${
      who.channel === 'email' ? 'email = $1 and email_verified_at is not null' : 'login_phone = $1'
    }`,
    [who.value],
  )
  return ACCOUNT.first(rows)
}

/** The same, or the account where a verified number waits until it signs in. */
export async function findHolder(tx: Tx, who: Identifier): Promise<Account | undefined> {
  const owner = await findOwner(tx, who)
  if (owner || who.channel === 'email') return owner
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts
     where deleted_at is null and phone_number = $1 and phone_verified_at is not null`,
    [who.value],
  )
  return ACCOUNT.first(rows)
}

/** The newest account that claims an identifier without having proven it. */
export async function findClaimant(tx: Tx, who: Identifier): Promise<Account | undefined> {
  const rows = await tx.read(
    `select ${ACCOUNT.list} from accounts where deleted_at is null and ${UNPROVEN[who.channel]}
     order by created_at desc, id desc limit 1`,
    [who.value],
  )
  return ACCOUNT.first(rows)
}

export type NewAccount = {
  id: string
  fullName: string
  email?: string | undefined
  phoneNumber?: string | undefined
  passwordHash?: string | undefined
  avatarUrl?: string | undefined
  locale?: Account['locale'] | undefined
}

export async function insertAccount(tx: Tx, account: NewAccount): Promise<Account> {
  const [row] = await tx.query(
    `insert into accounts (id, full_name, email, phone_number, password_hash, avatar_url, locale,
       status)
     values ($1, $2, $3, $4, $5, $6, $7, 'pending_verification') returning ${ACCOUNT.list}`,
    [
      account.id,
      account.fullName,
      account.email ?? null,
      account.phoneNumber ?? null,
      account.passwordHash ?? null,
      account.avatarUrl ?? null,
      account.locale ?? 'sw',
    ],
  )
  return ACCOUNT.from(row!)
}

/** Deletes other registrations that claimed this identifier and never proved it. */
export async function dropPendingClaims(tx: Tx, who: Identifier, exceptId: string): Promise<void> {
  await tx.query(
    `delete from accounts where status = 'pending_verification' and deleted_at is null
     and id <> $2 and ${UNPROVEN[who.channel]}`,
    [who.value, exceptId],
  )
}

/** Active accounts that claimed the identifier without proving it lose the claim. */
export async function dropIdleClaims(tx: Tx, who: Identifier, exceptId: string): Promise<void> {
  await tx.query(
    `update accounts set ${who.channel === 'email' ? 'email' : 'phone_number'} = null,
       updated_at = now()
     where deleted_at is null and id <> $2 and ${UNPROVEN[who.channel]}`,
    [who.value, exceptId],
  )
}

/** From now on it signs in. */
export async function markProven(tx: Tx, proof: OwnerProof, who: Identifier): Promise<void> {
  await tx.query(
    who.channel === 'email'
      ? `update accounts set email = $2, email_verified_at = coalesce(email_verified_at, now()),
           updated_at = now() where id = $1`
      : `update accounts set phone_number = $2, login_phone = $2, phone_verified_at = now(),
           phone_confirmed = false, phone_signs_in_at = null, updated_at = now() where id = $1`,
    [proof.accountId, who.value],
  )
}

/** As long as the link in the message to the owner undoes the change. */
export const WAITING_DAYS = 7

/** The number that nobody confirmed is good for top-ups and notices; it signs in only later. */
export async function markWaiting(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update accounts set phone_verified_at = now(), updated_at = now(),
       phone_signs_in_at = case when login_phone is distinct from phone_number
         then now() + make_interval(days => ${WAITING_DAYS}) end
     where id = $1`,
    [id],
  )
}

/** The numbers whose time has come, except where another account has proven one meanwhile. */
export async function endWaiting(tx: Tx): Promise<void> {
  await tx.query(
    `update accounts a set login_phone = phone_number, phone_signs_in_at = null, updated_at = now()
     where phone_signs_in_at <= now() and deleted_at is null and phone_verified_at is not null
       and not exists (select from accounts o
         where o.login_phone = a.phone_number and o.id <> a.id and o.deleted_at is null)`,
  )
}

export async function setStatus(tx: Tx, id: string, status: Account['status']): Promise<void> {
  await tx.query('update accounts set status = $2, updated_at = now() where id = $1', [id, status])
}

export async function setPassword(tx: Tx, proof: OwnerProof, passwordHash: string): Promise<void> {
  await tx.query(
    `update accounts set password_hash = $2, contested = false, updated_at = now() where id = $1`,
    [proof.accountId, passwordHash],
  )
}

/** Nobody knows whose password it was. The account is contested until its owner sets one. */
export async function dropPassword(tx: Tx, { accountId }: OwnerProof): Promise<void> {
  await tx.query(
    `update accounts set password_hash = null, contested = true, updated_at = now() where id = $1`,
    [accountId],
  )
}

/** It waits for its code; without a proof of the owner also for seven days more, to sign in. */
export async function setPhone(
  tx: Tx,
  id: string,
  { phoneNumber, proof }: { phoneNumber: string; proof: OwnerProof | undefined },
): Promise<void> {
  await tx.query(
    `update accounts set phone_number = $2, phone_verified_at = null, phone_signs_in_at = null,
       phone_confirmed = $3, updated_at = now() where id = $1`,
    [id, phoneNumber, proof?.accountId === id],
  )
}

export async function setProfile(
  tx: Tx,
  id: string,
  change: {
    fullName?: string | undefined
    avatarUrl?: string | undefined
    locale?: 'sw' | 'en' | undefined
  },
): Promise<void> {
  await tx.query(
    `update accounts set full_name = coalesce($2, full_name), locale = coalesce($3, locale),
       avatar_url = coalesce($4, avatar_url), updated_at = now() where id = $1`,
    [id, change.fullName ?? null, change.locale ?? null, change.avatarUrl ?? null],
  )
}

/**
 * Registrations that were never verified, unless a code for one is still valid. They own nothing:
 * an unverified address belongs to nobody, and the sign-up bonus needs a verified one.
 */
export function purgeUnverified(tx: Tx, batch: number, days: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'accounts',
    where: `status = 'pending_verification' and deleted_at is null
      and created_at < now() - make_interval(days => $2::int)
      and email_verified_at is null and login_phone is null and ${WITHOUT_MONEY}
      and not exists (select from codes where account_id = accounts.id and expires_at > now())`,
    order: 'created_at',
    params: [days],
  })
}

/** Nothing of the ledger or of payments refers to it. */
export const WITHOUT_MONEY = `not exists (select from ledger_accounts where account_id = accounts.id)
  and not exists (select from payments where account_id = accounts.id)`

/**
 * True the first time that this identifier is ever proven, by any account. The first hash is stored;
 * the others are the same identifier under earlier keys.
 */
export async function insertProvenIdentifier(
  tx: Tx,
  hashes: readonly [Buffer, ...Buffer[]],
  accountId: string,
): Promise<boolean> {
  const [row] = await tx.query<{ fresh: boolean }>(
    `with known as (select 1 from proven_identifiers where identifier_hmac = any($2::bytea[])),
     put as (
       insert into proven_identifiers (identifier_hmac, account_id) values ($1, $3)
       on conflict do nothing returning 1
     )
     select exists (select from put) and not exists (select from known) as fresh`,
    [hashes[0], hashes, accountId],
  )
  return row!.fresh
}

/** A batch of accounts with an authenticator, locked, by id. */
export async function listSealedTotp(
  tx: Tx,
  afterId: string | undefined,
): Promise<{ id: string; totp: Uint8Array | null; pending: Uint8Array | null }[]> {
  return tx.read(
    `select id, totp_sealed as totp, totp_pending_sealed as pending from accounts
     where (totp_sealed is not null or totp_pending_sealed is not null)
       and ($1::uuid is null or id > $1)
     order by id limit 200 for update`,
    [afterId ?? null],
  )
}

/** An undefined or null value leaves what is stored. */
export async function resealTotp(
  tx: Tx,
  id: string,
  sealed: { totp: Buffer | null | undefined; pending: Buffer | null | undefined },
): Promise<void> {
  await tx.query(
    `update accounts set totp_sealed = coalesce($2, totp_sealed),
       totp_pending_sealed = coalesce($3, totp_pending_sealed) where id = $1`,
    [id, sealed.totp ?? null, sealed.pending ?? null],
  )
}

const UNPROVEN = {
  email: 'email = $1 and email_verified_at is null',
  phone: 'phone_number = $1 and phone_verified_at is null and login_phone is distinct from $1',
}
