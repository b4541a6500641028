import type { Model } from '../../catalog/models.ts'
import { IconButton } from '../../parts/button.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { Prices } from './prices.tsx'
import { modelWords } from './words.ts'

/** Up to three models side by side. */
export function Comparison({ models, onRemove }: { models: Model[]; onRemove(id: string): void }) {
  const words = useWords(modelWords)
  const { number } = useFormats()
  if (models.length === 0) return null
  return (
    <section aria-label={words.comparing} className="rounded-md border-2 border-green bg-card p-4">
      <h2 className="mb-3 text-lg">{words.comparing}</h2>
      <div className="grid gap-4 md:grid-cols-3">
        {models.map((model) => (
          <div key={model.id} className="flex min-w-0 flex-col gap-2">
            <div className="flex items-center justify-between gap-2">
              <h3 className="break-words">{model.name}</h3>
              <IconButton
                icon="cross"
                label={`${words.compareOff}: ${model.name}`}
                onClick={() => onRemove(model.id)}
              />
            </div>
            <Prices model={model} />
            {model.context_length !== undefined && (
              <p className="text-sm text-soft">{words.context(number(model.context_length))}</p>
            )}
          </div>
        ))}
      </div>
      <p className="mt-3 text-sm text-soft">{words.compareLimit}</p>
    </section>
  )
}
