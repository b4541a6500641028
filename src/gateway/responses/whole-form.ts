import type { WholeForm } from '../chat/form.ts'
import type { ResponseStyle } from './answer/events.ts'
import { usageOf } from './answer/response.ts'
import { nativeAnswer, wholeAnswer, wholeResponse } from './answer/whole.ts'
import type { Keeper } from './kept/keeper.ts'

/** A whole answer, of a chat or of an upstream that speaks this dialect, written as a response. */
export function responseWholeForm(style: ResponseStyle, { keep }: Keeper): WholeForm {
  const { head, tools, encrypted } = style
  return ({ body, native }, usage) => {
    const answer =
      native === undefined ? wholeAnswer(body, head, tools) : nativeAnswer(native, head.seed)
    return wholeResponse(answer, usageOf(usage), { head, encrypted, keep })
  }
}
