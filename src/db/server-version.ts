import type { Tx } from './db.ts'

/** The version of the server, such as 15 of '15.4 (Debian 15.4-1)'. */
export async function serverVersion(tx: Tx): Promise<{ major: number; text: string }> {
  const [row] = await tx.query<{ number: string; text: string }>(
    `select current_setting('server_version_num') as number,
            current_setting('server_version') as text`,
  )
  return { major: Math.floor(Number(row!.number) / 10_000), text: row!.text }
}
