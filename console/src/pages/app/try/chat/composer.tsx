import { useEffect, useRef, type KeyboardEvent } from 'react'
import { Button } from '../../../../parts/button.tsx'
import { TextArea } from '../../../../parts/form/field.tsx'
import { useWords } from '../../../../words/language.tsx'
import { chatWords } from './words.ts'
import { EstimateLine } from '../estimate-line.tsx'

type Props = {
  draft: string
  onChange(text: string): void
  onSend(): void
  onStop: (() => void) | undefined
  onClear: (() => void) | undefined
  estimate: number | undefined
}

/** Enter sends, Shift and Enter begin a line. */
export function Composer({ draft, onChange, onSend, onStop, onClear, estimate }: Props) {
  const words = useWords(chatWords)
  const end = useRef<HTMLDivElement>(null)
  const isBusy = onStop !== undefined
  // Follows the answer; scroll anchoring keeps the place of a reader who has scrolled up.
  useEffect(() => {
    if (isBusy) end.current?.scrollIntoView({ block: 'nearest' })
  }, [isBusy])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    // A phone's keyboard has no other key for a new line.
    if (matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    onSend()
  }
  return (
    <div
      ref={end}
      className="sticky bottom-14 mt-auto flex scroll-mb-20 flex-col gap-2 border-t border-line bg-page py-3 lg:bottom-0"
    >
      <TextArea
        label={words.message}
        placeholder={words.placeholder}
        rows={2}
        value={draft}
        onChange={onChange}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center justify-between gap-2">
        {isBusy ? (
          <p className="text-sm text-soft">{words.leaving}</p>
        ) : (
          <EstimateLine credits={estimate} />
        )}
        <div className="ml-auto flex gap-2">
          {onClear && (
            <Button kind="quiet" size="small" onClick={onClear} title={words.onDevice}>
              {words.clear}
            </Button>
          )}
          {isBusy ? (
            <Button kind="plain" icon="stop" onClick={onStop}>
              {words.stop}
            </Button>
          ) : (
            <Button icon="send" onClick={onSend} disabled={draft.trim() === ''}>
              {words.send}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
