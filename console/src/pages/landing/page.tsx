import { useCatalog } from '../../catalog/models.ts'
import { useFacts } from '../../catalog/rate.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Sample } from '../../parts/sample.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { Abilities } from './abilities.tsx'
import { Calculator } from './calculator.tsx'
import { firstCallSamples } from '../../catalog/first-call.ts'
import { useOrigin } from '../../client/origin.ts'
import { byPrice, isPricedChat } from './month.ts'
import { landingWords } from './words.ts'

export default function Page() {
  return (
    <>
      <Hero />
      <Abilities />
      <Reasons />
      <Steps />
      <FirstCall />
    </>
  )
}

const NETWORKS = ['M-Pesa', 'Mixx by Yas', 'Airtel Money', 'HaloPesa']

function Hero() {
  const words = useWords(landingWords)
  const { number } = useFormats()
  const bonus = useFacts().data?.data.signup_bonus_credits
  return (
    <section className="border-b border-line bg-gradient-to-b from-green-wash to-page">
      <div className="column grid items-center gap-10 py-10 lg:grid-cols-[1.1fr_1fr] lg:py-20">
        <div className="flex flex-col gap-5">
          <h1 className="text-3xl lg:text-[3rem] lg:leading-[1.08]">{words.title}</h1>
          <p className="max-w-prose text-lg text-soft">{words.lead}</p>
          <div className="flex flex-wrap gap-3">
            <ButtonLink to="/register">{words.start}</ButtonLink>
            <ButtonLink to="/models" kind="plain">
              {words.prices}
            </ButtonLink>
          </div>
          <p className="flex items-start gap-2 text-sm text-soft">
            <span className="text-green">
              <Icon name="check" />
            </span>
            {bonus ? words.bonus(number(bonus)) : words.noCard}
          </p>
          <ul className="flex flex-wrap gap-2">
            {NETWORKS.map((name) => (
              <li
                key={name}
                className="rounded-full border border-line bg-card px-3 py-1 text-sm font-medium"
              >
                {name}
              </li>
            ))}
          </ul>
        </div>
        <Calculator />
      </div>
    </section>
  )
}

/** Until the service's own values are loaded. */
const USUAL_LEAST_TZS = 500

function Reasons() {
  const words = useWords(landingWords)
  const { reasons } = words
  const { tzs } = useFormats()
  const least = useFacts().data?.data.topup.min_tzs ?? USUAL_LEAST_TZS
  const list: [IconName, string, string][] = [
    ['phone', reasons.pay, reasons.paySay(tzs(least))],
    ['shield', reasons.fair, reasons.fairSay],
    ['spark', reasons.works, reasons.worksSay],
    ['mic', reasons.kiswahili, reasons.kiswahiliSay],
  ]
  return (
    <section className="column pb-12 lg:pb-16">
      <h2 className="mb-6 text-2xl">{words.why}</h2>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {list.map(([icon, title, say]) => (
          <li key={title} className="card flex flex-col gap-2 p-5">
            <span className="flex size-11 items-center justify-center rounded-sm bg-green-wash text-green">
              <Icon name={icon} size={24} />
            </span>
            <h3 className="mt-1 text-lg">{title}</h3>
            <p className="text-soft">{say}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Steps() {
  const { steps, step, start } = useWords(landingWords)
  const list = [
    [step.one, step.oneSay],
    [step.two, step.twoSay],
    [step.three, step.threeSay],
  ] as const
  return (
    <section className="border-y border-line bg-card">
      <div className="column flex flex-col gap-6 py-12">
        <h2 className="text-2xl">{steps}</h2>
        <ol className="grid gap-6 sm:grid-cols-3">
          {list.map(([title, say], at) => (
            <li key={title} className="flex gap-4">
              <span className="figures flex size-10 shrink-0 items-center justify-center rounded-full bg-green font-bold text-on-green">
                {at + 1}
              </span>
              <div>
                <h3 className="text-lg">{title}</h3>
                <p className="text-soft">{say}</p>
              </div>
            </li>
          ))}
        </ol>
        <div>
          <ButtonLink to="/register">{start}</ButtonLink>
        </div>
      </div>
    </section>
  )
}

function FirstCall() {
  const words = useWords(landingWords)
  const origin = useOrigin()
  const models = useCatalog().data?.data ?? []
  const model = models.filter(isPricedChat).sort(byPrice)[0]?.id
  return (
    <section className="column grid gap-6 py-12 lg:grid-cols-[1fr_1.6fr] lg:py-16">
      <div>
        <h2 className="text-2xl">{words.code}</h2>
        <p className="mt-2 text-soft">{words.codeLead}</p>
      </div>
      <div className="min-w-0">
        <Sample label={words.codeTabs} tabs={firstCallSamples(origin, model)} />
      </div>
    </section>
  )
}
