import { useFacts } from '../../../catalog/rate.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { AlreadyPaid } from './already-paid.tsx'
import { useNetworkOf, type Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'
import { useNow } from './use-now.ts'

const HELP_AFTER_S = 30

/** First until the provider has it, then until the PIN has been entered. */
export function PaymentWaiting({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const { tzs } = useFormats()
  const now = useNow(1_000)
  const facts = useFacts()
  const network = useNetworkOf(payment)
  const isAsked = payment.asked_at !== undefined
  const askedS = (now - Date.parse(payment.asked_at ?? payment.created_at)) / 1000
  return (
    <div className="flex flex-col gap-4">
      <div className="card flex flex-col items-center gap-3 p-6 text-center">
        <DrawnPhone lit={isAsked} />
        <p role="status" className="max-w-sm text-lg font-semibold">
          {isAsked ? words.look(tzs(payment.amount_tzs)) : words.sending}
        </p>
        <p className="figures text-soft">
          {payment.phone_number}
          {network && ` · ${network.name}`}
        </p>
        <TimeLeft payment={payment} now={now} />
        <p className="text-sm text-soft">{words.leave}</p>
      </div>
      {askedS >= HELP_AFTER_S && (
        <div className="card flex flex-col gap-3 p-5">
          <p className="font-semibold">{words.noRequest}</p>
          <ul className="flex list-disc flex-col gap-1 pl-5 text-soft">
            {words.tips.map((tip) => (
              <li key={tip}>{tip}</li>
            ))}
          </ul>
          <ul className="grid gap-2 sm:grid-cols-2">
            {(facts.data?.data.networks ?? []).map(({ id, name, menu }) => (
              <li
                key={id}
                className={`flex justify-between gap-2 rounded-sm px-3 py-2 ${id === network?.id ? 'bg-green-wash font-semibold' : 'bg-sunken'}`}
              >
                <span>{name}</span>
                <span className="figures font-mono">{menu}</span>
              </li>
            ))}
          </ul>
          <AlreadyPaid payment={payment} />
        </div>
      )}
    </div>
  )
}

function TimeLeft({ payment, now }: { payment: Payment; now: number }) {
  const words = useWords(paymentWords)
  const [from, to] = [Date.parse(payment.created_at), Date.parse(payment.expires_at)]
  const leftS = Math.max(0, Math.round((to - now) / 1000))
  const share = Math.max(0, Math.min(100, ((to - now) / (to - from)) * 100))
  const clock = `${Math.floor(leftS / 60)}:${String(leftS % 60).padStart(2, '0')}`
  return (
    <div className="w-full max-w-xs">
      <svg
        viewBox="0 0 100 2"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-1.5 w-full"
      >
        <rect width="100" height="2" className="fill-line" />
        <rect width={share} height="2" className="fill-green" />
      </svg>
      <p className="figures mt-1 text-sm text-soft">
        {leftS > 0 ? words.left(clock) : words.overdue}
      </p>
    </div>
  )
}

/** A phone whose screen asks for the PIN. */
function DrawnPhone({ lit }: { lit: boolean }) {
  return (
    <svg viewBox="0 0 96 144" aria-hidden="true" className="h-36">
      <rect x="14" y="2" width="68" height="140" rx="12" className="fill-ink" />
      <rect x="19" y="12" width="58" height="118" rx="4" className="fill-sunken" />
      <g className={lit ? '' : 'pulse'}>
        <rect x="24" y="44" width="48" height="46" rx="5" className="fill-card stroke-line" />
        <rect x="30" y="51" width={lit ? 26 : 18} height="4" rx="2" className="fill-soft" />
        <rect x="30" y="60" width="36" height="13" rx="3" className="fill-page stroke-green" />
        {lit &&
          [37, 44, 51, 58].map((x) => (
            <circle key={x} cx={x} cy="66.500" r="2" className="pulse fill-green" />
          ))}
        <rect x="48" y="79" width="18" height="6" rx="3" className="fill-green" />
      </g>
      <rect x="38" y="134" width="20" height="3" rx="1.500" className="fill-soft" />
    </svg>
  )
}
