import { useFacts } from '../../../catalog/rate.ts'
import type { ReactNode } from 'react'
import { firstCallSamples } from '../../../catalog/first-call.ts'
import { useSampleModel } from '../../../catalog/sample-model.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Sample } from '../../../parts/sample.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useSteps } from './steps.ts'
import { overviewWords } from './words.ts'

/** What a new account has still to do; gone when all is done. */
export function FirstSteps() {
  const words = useWords(overviewWords)
  const { amount } = useFormats()
  const facts = useFacts()
  const model = useSampleModel()
  const steps = useSteps()
  if (steps === undefined || (steps.key && steps.call && steps.topUp)) return null
  const bonus = facts.data?.data.signup_bonus_credits ?? 0
  return (
    <Section title={words.steps}>
      <p className="text-soft">{words.stepsLead}</p>
      <ol className="card divide-y divide-line px-5">
        <Step title={words.stepAccount} done>
          {bonus > 0 && <p className="text-soft">{words.bonus(amount(bonus))}</p>}
        </Step>
        <Step title={words.stepTry} done={steps.anyCall}>
          <ButtonLink to="/app/try" kind="plain" size="small" icon="spark">
            {words.stepTryDo}
          </ButtonLink>
        </Step>
        <Step title={words.stepKey} done={steps.key}>
          <ButtonLink to="/app/keys" kind="plain" size="small" icon="key">
            {words.stepKeyDo}
          </ButtonLink>
        </Step>
        <Step title={words.stepCall} done={steps.call}>
          {steps.key && (
            <>
              <p className="text-soft">{words.stepCallDo}</p>
              <Sample label={words.sample} tabs={firstCallSamples(location.origin, model)} />
              <p className="text-sm text-soft">{words.waiting}</p>
            </>
          )}
        </Step>
        <Step title={words.stepTopUp} done={steps.topUp}>
          <ButtonLink to="/app/billing" kind="plain" size="small" icon="phone">
            {words.stepTopUpDo}
          </ButtonLink>
        </Step>
      </ol>
    </Section>
  )
}

function Step({ title, done, children }: { title: string; done: boolean; children: ReactNode }) {
  const words = useWords(overviewWords)
  return (
    <li className="flex gap-3 py-3">
      <span
        className={`mt-0.5 flex size-6 shrink-0 items-center justify-center rounded-full border-2 ${done ? 'border-green bg-green text-on-green' : 'border-edge'}`}
      >
        {done && <Icon name="check" size={14} />}
        <span className="sr-only">{done ? words.done : words.notDone}</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-2 [&>*]:max-w-full">
        <p className={done ? 'text-soft' : 'font-semibold'}>{title}</p>
        {!done && children}
      </div>
    </li>
  )
}
