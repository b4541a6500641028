import { Failure } from '../../lib/failure.ts'

/** The account cannot pay for what was asked. */
export function insufficient(what = 'request'): Failure {
  return new Failure('insufficient', `Not enough credits for this ${what}. Top up and try again.`)
}
