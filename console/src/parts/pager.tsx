import { commonWords } from '../words/common.ts'
import { useFormats } from '../words/format.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'

type Props = {
  page: { limit: number; offset: number; total: number; has_more: boolean } | undefined
  onOffset(offset: number): void
}

/** Newer, older, and the position in the list. Nothing while everything fits on one page. */
export function Pager({ page, onOffset }: Props) {
  const common = useWords(commonWords)
  const { number } = useFormats()
  if (page === undefined || (page.offset === 0 && !page.has_more)) return null
  const { limit, offset, total } = page
  const last = Math.min(offset + limit, total)
  return (
    <div className="no-print flex flex-wrap items-center justify-between gap-2">
      <Button
        kind="plain"
        size="small"
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - limit))}
      >
        {common.newer}
      </Button>
      <p className="figures text-sm text-soft">
        {common.range(number(offset + 1), number(last), number(total))}
      </p>
      <Button
        kind="plain"
        size="small"
        disabled={!page.has_more}
        onClick={() => onOffset(offset + limit)}
      >
        {common.older}
      </Button>
    </div>
  )
}
