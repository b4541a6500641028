import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { parseCredits } from '../../src/ledger/money.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { client, freshEmail, PASSWORD } from './accounts.ts'
import { eventually } from './eventually.ts'

/** A verified account with exactly these credits, a session and an API key. */
export async function newCustomer(
  url: string,
  service: { db: Db; dataDir: string },
  credits: string,
): Promise<{ token: string; accountId: string; key: string; code: string }> {
  const { token, accountId, code } = await signUp(url, service.dataDir)
  await setBalance(service.db, accountId, credits)
  const made = await client(url)('POST /v1/api-keys', { token, body: { name: 'test' } })
  return { token, accountId, code, key: made.body.data.key as string }
}

/** Through the API; the code is read from the message that was sent. */
export async function signUp(url: string, dataDir: string) {
  const call = client(url)
  const email = freshEmail()
  const body = { full_name: 'Asha Juma', email, password: PASSWORD }
  await call('POST /v1/auth/register', { body })
  const code = await codeSentTo(dataDir, email)
  const answer = await call('POST /v1/auth/otp/verify', {
    body: { identifier: email, channel: 'email', purpose: 'verify_email', code },
  })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const { access_token: token, user } = answer.body.data
  return { email, code, token: token as string, accountId: user.id as string }
}

/** The code of the newest message to this address. */
export function codeSentTo(dataDir: string, to: string): Promise<string> {
  return sentTo(dataDir, { to, pattern: /\b\d{6}\b/ })
}

/** What the newest message with a link that undoes a change has in it. */
export function undoSentTo(dataDir: string, to: string): Promise<string> {
  return sentTo(dataDir, { to, pattern: /(?<=\/undo#)[\w-]{22}/ })
}

async function sentTo(
  dataDir: string,
  { to, pattern }: { to: string; pattern: RegExp },
): Promise<string> {
  const folder = join(dataDir, 'outbox')
  return eventually(`${pattern} is sent to ${to}`, async () => {
    const names = await readdir(folder).catch(() => [])
    for (const name of names
      .filter((one) => one.endsWith('.json'))
      .sort()
      .reverse()) {
      const message = JSON.parse(await readFile(join(folder, name), 'utf8'))
      const found = pattern.exec(message.text)?.[0]
      if (message.to === to && found !== undefined) return found
    }
    return undefined
  })
}

export async function setBalance(db: Db, accountId: string, credits: string): Promise<void> {
  const [row] = await db.query<{ balance_micro: bigint }>(
    'select balance_micro from ledger_accounts where account_id = $1',
    [accountId],
  )
  const amountMicro = parseCredits(credits) - (row?.balance_micro ?? 0n)
  if (amountMicro === 0n) return
  const entry = { id: uuidv7(), type: 'adjustment', key: `test:${uuidv7()}`, description: 'test' }
  await db.begin((tx) =>
    applyCommands(tx, [{ kind: 'adjust', accountId, amountMicro, entry: entry as never }]),
  )
}
