import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { Facts } from '../facts.tsx'
import { upstreamsWords } from './words.ts'

type Upstream = Answer<'GET /v1/operator/upstreams'>['data'][number]

export default function Page() {
  const words = useWords(upstreamsWords)
  const upstreams = useAsk('GET /v1/operator/upstreams', {}, { refetchInterval: 30_000 })
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <Loaded query={upstreams} shape={<Skeleton lines={3} tall />}>
        {({ data }) => (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            {data.map((one) => (
              <One key={one.name} upstream={one} />
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}

function One({ upstream }: { upstream: Upstream }) {
  const words = useWords(upstreamsWords)
  const { number } = useFormats()
  const age = useAge()
  const { troubles } = upstream
  return (
    <section className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg wrap-anywhere">{upstream.name}</h2>
        <Badge tone={troubles.length === 0 ? 'good' : 'bad'}>
          {troubles.length === 0 ? words.good : words.troubled}
        </Badge>
      </div>
      <Facts
        facts={[
          [words.priority, number(upstream.priority)],
          [words.weight, number(upstream.weight)],
          [words.margin, upstream.margin],
          ...troubles.map(
            ({ why, model, since }) =>
              [model ?? words.whole, `${why}, ${words.since(age(since))}`] as const,
          ),
        ]}
      />
    </section>
  )
}
