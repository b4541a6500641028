import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { tryWithLog, usdText } from '../operators/try-actions.ts'
import type { App } from '../app/app.ts'
import type { Print } from './print.ts'

const HELP = `models try <id> [--prompt <text>] [--upstream <name>] [--reason <text>] [--operator <name>]
                      ask a model one short question at your own cost, also one that is
                      disabled, and show what it says, how long it took and what it cost`

const PROMPT = 'Say in one sentence who you are.'

/** `npm run mlango -- models …`. */
export const modelsCommand = {
  name: 'models',
  help: HELP,
  async run(
    args: string[],
    { db, askModel, print }: Pick<App, 'db' | 'askModel'> & { print: Print },
  ): Promise<number> {
    const text = { type: 'string' } as const
    const options = { prompt: text, upstream: text, reason: text, operator: text }
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [verb, model] = positionals
    if (verb !== 'try' || model === undefined) {
      print(HELP)
      return 2
    }
    const { prompt = PROMPT, upstream, reason, operator } = values
    const wish = { model, upstream, prompt, reason }
    const tried = await tryWithLog({ db, ask: askModel }, commandActor(operator), wish)
    print(tried.text)
    print(
      `${tried.upstream}: ${tried.latencyMs} ms, ${tried.promptTokens ?? '?'} tokens in, ` +
        `${tried.completionTokens ?? '?'} out, USD ${usdText(tried.costMicroUsd)} (${tried.costBasis}).`,
    )
    return 0
  },
}
