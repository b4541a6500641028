import type { WholeForm } from '../chat/form.ts'
import type { ResponseStyle } from './answer/events.ts'
import type { Keeper } from './kept/keeper.ts'
import { usageOf } from './answer/response.ts'
import { wholeAnswer, wholeResponse } from './answer/whole.ts'

/** A whole chat answer, written as a response. */
export function responseWholeForm(style: ResponseStyle, { keep }: Keeper): WholeForm {
  const { head, tools, encrypted } = style
  return ({ body }, usage) =>
    wholeResponse(wholeAnswer(body, head, tools), usageOf(usage), { head, encrypted, keep })
}
