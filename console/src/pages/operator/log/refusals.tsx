import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { operatorWords } from '../words.ts'
import { refusalWords } from './refusal-words.ts'

type Refusal = Answer<'GET /v1/operator/refusals'>['data'][number]

/** Operators' requests that were refused. */
export function RefusalList() {
  const words = useWords(refusalWords)
  const refusals = useAsk('GET /v1/operator/refusals', { query: { limit: 100 } })
  return (
    <>
      <p className="mb-4 max-w-prose text-soft">{words.lead}</p>
      <Loaded
        query={refusals}
        shape={<Skeleton lines={6} />}
        empty={<Empty icon="check" title={words.none} />}
      >
        {({ data }) => (
          <ul aria-label={words.title} className="card divide-y divide-line px-4">
            {data.map((one) => (
              <RefusalRow key={`${one.account_id} ${one.why} ${one.first_at}`} refusal={one} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}

function RefusalRow({ refusal }: { refusal: Refusal }) {
  const words = useWords(refusalWords)
  const common = useWords(operatorWords)
  const { number } = useFormats()
  const age = useAge()
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 py-3">
      <div className="min-w-0">
        <p className="font-medium">{words.whys[refusal.why]}</p>
        <p className="text-sm wrap-anywhere text-soft">
          <code className="font-mono">{refusal.what}</code>
          {refusal.address !== undefined && ` · ${refusal.address}`}
        </p>
        <Link
          href={`/operator/accounts/${refusal.account_id}`}
          className="link inline-flex min-h-11 items-center text-sm"
        >
          {refusal.is_operator ? words.operator : common.customer}
        </Link>
      </div>
      <div className="text-sm text-soft sm:text-right">
        <p className="figures">{words.times(number(refusal.count))}</p>
        <p>{age(refusal.last_at)}</p>
      </div>
    </li>
  )
}
