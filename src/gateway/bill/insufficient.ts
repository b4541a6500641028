import { creditsNumber, creditsText } from '../../ledger/money.ts'
import { Failure } from '../../lib/failure.ts'

/** The account cannot pay for what was asked: what is there, and what is needed to begin. */
export function insufficient(
  { availableMicro, neededMicro }: { availableMicro: bigint; neededMicro: bigint },
  what = 'request',
): Failure {
  const amounts = `${creditsText(availableMicro)} are available, ${creditsText(neededMicro)} are needed`
  return new Failure(
    'insufficient',
    `Not enough credits for this ${what}: ${amounts}. Top up and try again.`,
    { credits: { available: creditsNumber(availableMicro), needed: creditsNumber(neededMicro) } },
  )
}
