import { withService, type Service } from '../service.ts'
import type { Outcome } from '../suite.ts'
import { ASKED, type Asked } from './asked.ts'

export type Upstream = { type: string; base_url: string }

/** What every dialect asks of a model at each of these upstreams: answered whole, in its form, and paid. */
export function throughUpstreams(upstreams: Upstream[]): Promise<Outcome[]> {
  const upstream = upstreams.map((one) => ({ ...one, name: one.type, sync: false, ...MODELS(one) }))
  return withService(
    async (service) => {
      const outcomes: Outcome[] = []
      for (const { type } of upstreams)
        for (const asked of ASKED) outcomes.push(await tried(service, type, asked))
      return outcomes
    },
    { upstream },
  )
}

const MODELS = ({ type }: Upstream) => ({
  models: [
    {
      id: `${type}-door/zana`,
      upstream_id: 'zana',
      pricing: { prompt: '0.000001', completion: '0.00001' },
      context_length: 100_000,
      max_output_tokens: 8_000,
      input_modalities: ['text', 'image'],
      supported_parameters: ['max_tokens', 'temperature', 'tools', 'tool_choice', 'reasoning'],
    },
  ],
})

async function tried(service: Service, type: string, asked: Asked): Promise<Outcome> {
  const name = `${type}: ${asked.name}`
  const { path, body, says } = asked
  const before = await spent(service)
  const answer = await fetch(`${service.base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: `${type}-door/zana` }),
  })
  const text = await answer.text()
  const missing = says.filter((one) => !text.includes(one))
  if (missing.length > 0) {
    return { name, failure: `${answer.status} without ${missing.join(', ')}: ${text.slice(-300)}` }
  }
  return (await spent(service)) > before ? { name } : { name, failure: 'was answered and not paid' }
}

async function spent({ db }: Service): Promise<bigint> {
  const [row] = await db.query<{ sum: bigint }>(
    'select coalesce(sum(cost_micro), 0)::int8 as sum from activity_records',
  )
  return row!.sum
}
