import { useId, useState } from 'react'
import { useCatalog } from '../../catalog/models.ts'
import { useTzsOf } from '../../catalog/rate.ts'
import { Select } from '../../parts/form/select.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { commonWords } from '../../words/common.ts'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { byPrice, isPricedChat, MESSAGE_TOKENS, monthOf, type Day } from './month.ts'
import { landingWords } from './words.ts'

const MOST: Day = { messages: 500, minutes: 120, pictures: 50 }

/** Everyday things at the prices charged, in shillings. */
export function Calculator() {
  const words = useWords(landingWords)
  const { amount, tzs, number } = useFormats()
  const common = useWords(commonWords)
  const catalog = useCatalog()
  const tzsOf = useTzsOf()
  const [day, setDay] = useState<Day>({ messages: 50, minutes: 5, pictures: 2 })
  const [id, setId] = useState('')
  const models = catalog.data?.data ?? []
  const chats = models.filter(isPricedChat).sort(byPrice)
  const chosen = chats.find((model) => model.id === id) ?? chats[0]
  const month = monthOf(day, chosen, models)
  const credits = month.reduce((sum, { credits }) => sum + credits, 0)
  const shillings = tzsOf(credits)
  if (catalog.isError) return <p className="card p-5 text-soft">{words.noPrices}</p>
  return (
    <div className="card flex flex-col gap-5 p-5 shadow-xl shadow-ink/5 sm:p-6">
      <div>
        <h2 className="text-xl">{words.calculator}</h2>
        <p className="text-sm text-soft">{words.calculatorLead}</p>
      </div>
      {catalog.data === undefined ? (
        <Skeleton lines={3} tall />
      ) : (
        <>
          {(Object.keys(MOST) as (keyof Day)[])
            .filter((part) => month.some((one) => one.part === part))
            .map((part) => (
              <Slider
                key={part}
                label={words[part]}
                value={day[part]}
                most={MOST[part]}
                onChange={(value) => setDay({ ...day, [part]: value })}
              />
            ))}
          {chats.length > 1 && chosen && (
            <Select
              label={words.model}
              value={chosen.id}
              options={chats.map((model) => ({ value: model.id, label: model.name }))}
              onChange={setId}
            />
          )}
          <div aria-live="polite" className="rounded-sm bg-green-wash p-4">
            <p className="figures text-2xl font-bold text-green">
              {shillings === undefined ? common.credits(amount(credits)) : tzs(shillings)}{' '}
              <span className="text-base font-normal text-ink">{words.perMonth}</span>
            </p>
            {shillings !== undefined && (
              <p className="figures text-sm text-soft">{common.credits(amount(credits))}</p>
            )}
          </div>
          <p className="text-sm text-soft">
            {words.estimate(number(MESSAGE_TOKENS.input), number(MESSAGE_TOKENS.output))}
          </p>
        </>
      )}
    </div>
  )
}

type SliderProps = { label: string; value: number; most: number; onChange(value: number): void }

function Slider({ label, value, most, onChange }: SliderProps) {
  const id = useId()
  const { number } = useFormats()
  return (
    <div className="flex flex-col">
      <div className="flex justify-between gap-2 text-sm">
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        <output htmlFor={id} className="figures font-semibold">
          {number(value)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={most}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-11 w-full cursor-pointer accent-green"
      />
    </div>
  )
}
