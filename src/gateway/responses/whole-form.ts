import type { WholeForm } from '../chat/form.ts'
import type { ResponseStyle } from './events.ts'
import type { Keeper } from './keeper.ts'
import { usageOf } from './response.ts'
import { wholeAnswer, wholeResponse } from './whole.ts'

/** A whole chat answer, written as a response. */
export function responseWholeForm(style: ResponseStyle, { keep }: Keeper): WholeForm {
  const { head, tools, encrypted } = style
  return ({ body }, usage) =>
    wholeResponse(wholeAnswer(body, head, tools), usageOf(usage), { head, encrypted, keep })
}
