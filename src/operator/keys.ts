import { forgetLostKeys, rotateKeys } from '../accounts/rotation.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { resealWebhookSecrets, webhookKeys } from '../webhooks/secrets.ts'
import type { Print } from './print.ts'

const HELP = `keys rotate           seal under MASTER_KEY what is sealed under MASTER_KEY_PREVIOUS;
                      run it when every process has both settings
keys forget           give up what neither key opens, when the key before is lost:
                      people who were here may get the sign-up bonus once more`

/** `npm run mlango -- keys …`. */
export const keysCommand = {
  name: 'keys',
  help: HELP,
  async run(
    args: string[],
    parts: { db: Db; config: Config; masterKey: string; print: Print },
  ): Promise<number> {
    const { db, config, masterKey, print } = parts
    const masters = { masterKey, previous: config.MASTER_KEY_PREVIOUS }
    if (args[0] === 'forget') {
      print(`Keys of identifiers given up: ${await forgetLostKeys(db, masters)}.`)
      return 0
    }
    if (args[0] !== 'rotate') {
      print(HELP)
      return 2
    }
    const { signingKeys, ...accounts } = await rotateKeys(db, masters)
    const webhooks = await resealWebhookSecrets(db, webhookKeys(masters))
    const resealed = accounts.resealed + webhooks.resealed
    const unchanged = accounts.unchanged + webhooks.unchanged
    const lost = accounts.lost + webhooks.lost
    print(`Sealed under MASTER_KEY now: ${resealed}. Before already: ${unchanged}.`)
    print(`Signing keys of an earlier MASTER_KEY deleted: ${signingKeys}.`)
    if (lost === 0) return 0
    print(
      `Opened by neither key: ${lost}. Set MASTER_KEY_PREVIOUS to the key before and try again.`,
    )
    return 1
  },
}
