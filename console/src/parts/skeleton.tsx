import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'

/** The page's shape in grey while it loads. */
export function Skeleton({ lines = 3, tall }: { lines?: number; tall?: boolean }) {
  const common = useWords(commonWords)
  return (
    <div role="status" aria-busy="true" className="flex flex-col gap-3">
      <span className="sr-only">{common.loading}</span>
      {Array.from({ length: lines }, (_, at) => (
        <div
          key={at}
          aria-hidden="true"
          className={`pulse rounded-sm bg-line ${tall ? 'h-24' : 'h-5'} ${!tall && at === lines - 1 ? 'w-2/3' : 'w-full'}`}
        />
      ))}
    </div>
  )
}
