import { join } from 'node:path'
import { cargoPackage } from '../packages.ts'
import type { Service } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'
import { ASKED_PLAIN, CONTENT } from './asked.ts'
import { startStandIn } from './stand-in.ts'
import { throughUpstreams, type Door } from './through-upstreams.ts'

/** Another stand-in that we did not write; it counts tokens as it bills them. */
export const llmsim: Suite = {
  name: 'llmsim',
  async run(version) {
    const program = join(await cargoPackage('llmsim', version), 'llmsim')
    const { url, stop } = await startStandIn(program, (port) => [
      'serve',
      '--host=127.0.0.1',
      `--port=${port}`,
      `--generator=fixed:${CONTENT}`,
    ])
    const doors: Door[] = [
      { name: 'openai', type: 'openai', base_url: `${url}/openai/v1`, asked: ASKED_PLAIN },
      { name: 'anthropic', type: 'anthropic', base_url: `${url}/anthropic/v1`, asked: ASKED_PLAIN },
      {
        name: 'responses',
        type: 'openai',
        base_url: `${url}/openresponses/v1`,
        asked: ASKED_PLAIN.filter(({ path }) => path === '/responses'),
        entry: { responses: true },
      },
    ]
    return throughUpstreams(doors, (service) => sameCount(service, url)).finally(stop)
  },
}

async function sameCount({ db }: Service, url: string): Promise<Outcome[]> {
  const stats = (await (await fetch(`${url}/llmsim/stats`)).json()) as { total_tokens: number }
  const [row] = await db.query<{ sum: bigint }>(
    'select sum(total_tokens)::int8 as sum from activity_records',
  )
  const name = 'its count of tokens is that of our records'
  if (Number(row!.sum) === stats.total_tokens) return [{ name }]
  return [{ name, failure: `${stats.total_tokens}, and ours ${row!.sum}` }]
}
