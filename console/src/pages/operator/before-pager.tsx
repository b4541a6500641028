import { Button } from '../../parts/button.tsx'
import { useWords } from '../../words/language.tsx'
import { operatorWords } from './words.ts'

type Props = {
  /** Where the page begins; empty for the newest. */
  before: string
  /** Where the next page begins, if there may be one. */
  next: string | undefined
  onBefore(before: string): void
}

/** For lists that are read from the newest on: back to it, and further. */
export function BeforePager({ before, next, onBefore }: Props) {
  const words = useWords(operatorWords)
  return (
    <div className="flex flex-wrap justify-between gap-2">
      {before === '' ? (
        <span />
      ) : (
        <Button kind="plain" size="small" onClick={() => onBefore('')}>
          {words.newest}
        </Button>
      )}
      {next !== undefined && (
        <Button kind="plain" size="small" onClick={() => onBefore(next)}>
          {words.older}
        </Button>
      )}
    </div>
  )
}
