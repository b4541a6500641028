import type { UpstreamCheck } from '../../upstream/work.ts'
import { bad, good, type Diagnosis } from './diagnosis.ts'

export type UpstreamQuestions = {
  names: readonly { name: string; sync: boolean }[]
  check(name: string): Promise<UpstreamCheck>
  /** How many models its list has. Throws when it cannot be read. */
  countModels(name: string): Promise<number>
}

/** Asks each upstream only for what costs nothing: the state of our key, and the list of models. */
export async function examineUpstreams(questions: UpstreamQuestions): Promise<Diagnosis[]> {
  return Promise.all(questions.names.map((upstream) => examineOne(questions, upstream)))
}

async function examineOne(
  { check, countModels }: UpstreamQuestions,
  { name, sync }: UpstreamQuestions['names'][number],
): Promise<Diagnosis> {
  const part = `upstream ${name}`
  const { problem, tookMs } = await check(name)
  if (problem !== undefined) return bad(part, SAYS[problem], CURES[problem])
  const took =
    tookMs === undefined ? 'It cannot be asked without a paid call' : `It answered in ${tookMs} ms`
  if (!sync) return good(part, `${took}; its models are listed by hand.`)
  try {
    return good(part, `${took} and lists ${await countModels(name)} models.`)
  } catch {
    const cure = 'Try again later; until then the models that were read before are served.'
    return bad(part, 'Its list of models cannot be read.', cure)
  }
}

type Named = NonNullable<UpstreamCheck['problem']>

const SAYS: Record<Named, string> = {
  key_refused: 'It refuses our key.',
  out_of_money: 'Our account there has no money.',
  forbidden: 'It forbids our account to ask.',
  rate_limited: 'It asks us to slow down.',
  unreachable: 'It does not answer, or not as its type should.',
}

const CURES: Record<Named, string> = {
  key_refused: 'Put a valid key into the variable that api_key_env names.',
  out_of_money: 'Add money to the account at this provider.',
  forbidden: 'Ask the provider what the key may do.',
  rate_limited: 'Wait, or ask the provider for a higher limit.',
  unreachable: 'Check base_url and type in UPSTREAMS_FILE, and the network.',
}
