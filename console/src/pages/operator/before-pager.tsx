import { Button } from '../../parts/button.tsx'
import { useWords } from '../../words/language.tsx'
import { operatorWords } from './words.ts'

type Props = {
  /** The `before` of this page; empty for the newest. */
  before: string
  /** The `before` of the next page, if there may be one. */
  next: string | undefined
  onBefore(before: string): void
}

/** Newest and older, for lists that are paged with `before`. */
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
