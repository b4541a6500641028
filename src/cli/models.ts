import { tryWithLog, usdText } from '../operators/try-actions.ts'
import type { App } from '../app/app.ts'
import { command, done, TEXT, verb } from './command.ts'

const HELP = `models try <id> [--prompt <text>] [--upstream <name>] [--reason <text>] [--operator <name>]
                      ask a model one short question at your own cost, also one that is
                      disabled, and show what it says, how long it took and what it cost`

const PROMPT = 'Say in one sentence who you are.'

type Parts = Pick<App, 'db' | 'askModel'>

export const modelsCommand = command<Parts>('models', HELP, {
  try: verb(['model'], { prompt: TEXT, upstream: TEXT }, async (parts: Parts, given) => {
    const { model, upstream, prompt = PROMPT, actor, reason } = given
    const wish = { model, upstream, prompt, reason }
    const tried = await tryWithLog({ db: parts.db, ask: parts.askModel }, actor, wish)
    return done(
      tried.text,
      `${tried.upstream}: ${tried.latencyMs} ms, ${tried.promptTokens ?? '?'} tokens in, ` +
        `${tried.completionTokens ?? '?'} out, USD ${usdText(tried.costMicroUsd)} (${tried.costBasis}).`,
    )
  }),
})
