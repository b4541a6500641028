import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { giveUpKeys, resealKeys } from '../operators/key-actions.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'

const HELP = `keys rotate           seal under MASTER_KEY what is sealed under MASTER_KEY_PREVIOUS;
                      run it when every process has both settings
keys forget           give up what neither key opens, when the key before is lost:
                      people who were here may get the sign-up bonus once more
                      both: [--reason <text>] [--operator <name>]`

/** `npm run mlango -- keys …`. */
export const keysCommand = {
  name: 'keys',
  help: HELP,
  async run(
    args: string[],
    parts: { db: Db; config: Config; masterKey: string; print: Print },
  ): Promise<number> {
    const { db, config, masterKey, print } = parts
    const text = { type: 'string' } as const
    const options = { reason: text, operator: text }
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const actor = commandActor(values.operator)
    const wish = { masters: { masterKey, previous: config.MASTER_KEY_PREVIOUS }, ...values }
    if (positionals[0] === 'rotate') return rotate(await resealKeys(db, actor, wish), print)
    if (positionals[0] === 'forget') {
      print(`Keys of identifiers given up: ${await giveUpKeys(db, actor, wish)}.`)
      return 0
    }
    print(HELP)
    return 2
  },
}

function rotate(done: Awaited<ReturnType<typeof resealKeys>>, print: Print): number {
  const { resealed, unchanged, lost, signingKeys } = done
  print(`Sealed under MASTER_KEY now: ${resealed}. Before already: ${unchanged}.`)
  print(`Signing keys of an earlier MASTER_KEY deleted: ${signingKeys}.`)
  if (lost === 0) return 0
  print(`Opened by neither key: ${lost}. Set MASTER_KEY_PREVIOUS to the key before and try again.`)
  return 1
}
