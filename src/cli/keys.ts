import { giveUpKeys, resealKeys } from '../operators/key-actions.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { command, done, failed, verb } from './command.ts'

const HELP = `keys rotate           seal under MASTER_KEY what is sealed under MASTER_KEY_PREVIOUS;
                      run it when every process has both settings
keys forget           give up what neither key opens, when the key before is lost:
                      people who were here may get the sign-up bonus once more
                      both: [--reason <text>] [--operator <name>]`

type Parts = { db: Db; config: Config; masterKey: string }

export const keysCommand = command<Parts>('keys', HELP, {
  rotate: verb([], {}, async (parts: Parts, { actor, reason }) => {
    const sealed = await resealKeys(parts.db, actor, { masters: mastersOf(parts), reason })
    const lines = [
      `Sealed under MASTER_KEY now: ${sealed.resealed}. Before already: ${sealed.unchanged}.`,
      `Signing keys of an earlier MASTER_KEY deleted: ${sealed.signingKeys}.`,
    ]
    if (sealed.lost === 0) return done(...lines)
    const next = 'Set MASTER_KEY_PREVIOUS to the key before and try again.'
    return failed(...lines, `Opened by neither key: ${sealed.lost}. ${next}`)
  }),
  forget: verb([], {}, async (parts: Parts, { actor, reason }) => {
    const count = await giveUpKeys(parts.db, actor, { masters: mastersOf(parts), reason })
    return done(`Keys of identifiers given up: ${count}.`)
  }),
})

function mastersOf({ config, masterKey }: Parts) {
  return { masterKey, previous: config.MASTER_KEY_PREVIOUS }
}
