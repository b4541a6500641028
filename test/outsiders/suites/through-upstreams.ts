import { withService, type Service } from '../service.ts'
import type { Outcome } from '../suite.ts'
import type { Asked } from './asked.ts'

/** An upstream, what is asked of its model, and whether it always fails. */
export type Door = {
  name: string
  type: string
  base_url: string
  asked: Asked[]
  faulty?: boolean
}

/** Whatever is asked is answered whole, in its form, and paid; of a faulty one it is neither. */
export function throughUpstreams(doors: Door[]): Promise<Outcome[]> {
  return withService(
    async (service) => {
      const outcomes: Outcome[] = []
      for (const door of doors)
        for (const asked of door.asked) outcomes.push(await tried(service, door, asked))
      return outcomes
    },
    { upstream: doors.map(entryOf) },
  )
}

const entryOf = ({ name, type, base_url }: Door) => ({
  name,
  type,
  base_url,
  sync: false,
  models: [
    {
      id: `${name}/zana`,
      upstream_id: 'zana',
      pricing: { prompt: '0.000001', completion: '0.00001' },
      context_length: 100_000,
      max_output_tokens: 8_000,
      input_modalities: ['text', 'image'],
      supported_parameters: ['max_tokens', 'temperature', 'tools', 'tool_choice', 'reasoning'],
    },
  ],
})

async function tried(service: Service, door: Door, asked: Asked): Promise<Outcome> {
  const name = `${door.name}: ${asked.name}`
  const before = await spent(service)
  const { status, text } = await ask(service, door, asked)
  const paid = (await spent(service)) > before
  const missing = asked.says.filter((one) => !text.includes(one))
  const told = `${status}, ${paid ? 'paid' : 'not paid'}, without ${missing.join(' and ')}`
  const failed = [200, 429, 502, 503, 529].includes(status) && missing.length > 0
  const good = door.faulty === true ? failed && !paid : missing.length === 0 && paid
  return good ? { name } : { name, failure: `${told}: ${text.slice(-300)}` }
}

async function ask({ base, key }: Service, { name }: Door, { path, body }: Asked) {
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: `${name}/zana` }),
  })
  return { status: answer.status, text: await answer.text() }
}

async function spent({ db }: Service): Promise<bigint> {
  const [row] = await db.query<{ sum: bigint }>(
    'select coalesce(sum(cost_micro), 0)::int8 as sum from activity_records',
  )
  return row!.sum
}
