import { Link } from 'wouter'
import { useAsk } from '../../../client/use-ask.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { overviewWords } from './words.ts'

/** The page on which each kind of item is handled. */
const PAGES: Record<string, string> = {
  payment_review: '/operator/payments',
  payment_stuck: '/operator/payments?queue=stuck',
  message_dead: '/operator/messages',
  price_waiting: '/operator/models?tab=waiting',
  request_waiting: '/operator/requests',
  upstream_trouble: '/operator/upstreams',
  upstream_drained: '/operator/upstreams',
  webhook_dead: '/operator/webhooks',
  webhook_gone: '/operator/webhooks',
}

const isKnown = <Known extends object>(known: Known, name: PropertyKey): name is keyof Known =>
  Object.hasOwn(known, name)

/** What needs a person, first on the page. */
export function Attention() {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  const age = useAge()
  const matters = useAsk('GET /v1/operator/attention', {}, { refetchInterval: 60_000 })
  return (
    <Section title={words.needsYou}>
      <Loaded
        query={matters}
        shape={<Skeleton lines={2} />}
        empty={
          <p className="card flex items-center gap-3 p-4 text-soft">
            <span className="text-green">
              <Icon name="check" />
            </span>
            {words.nothing}
          </p>
        }
      >
        {({ data }) => (
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {data.map(({ kind, count, oldest_at }) => (
              <li key={kind}>
                <Link
                  href={PAGES[kind] ?? '/operator/log'}
                  className="flex h-full min-h-11 items-center gap-3 rounded-md border border-warning bg-warning-wash p-4 hover:brightness-95"
                >
                  <span className="text-warning">
                    <Icon name="warning" size={24} />
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="block font-semibold wrap-anywhere">
                      {isKnown(words.matters, kind)
                        ? words.matters[kind](number(count))
                        : `${kind}: ${number(count)}`}
                    </span>
                    <span className="block text-sm">{words.oldest(age(oldest_at))}</span>
                  </span>
                  <Icon name="arrow" />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}
