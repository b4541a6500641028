import { useQueries } from '@tanstack/react-query'
import { ask } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Selection } from './selection.ts'
import { activityWords } from './words.ts'

/** Nothing matches: names the filter that hides most, and offers to remove it. */
export function NoMatch({ selection }: { selection: Selection }) {
  const words = useWords(activityWords)
  const { number } = useFormats()
  const { narrowing, change } = selection
  const counts = useQueries({
    queries: narrowing.map((name) => {
      const query = selection.query(name)
      return {
        queryKey: ['GET /v1/activity/daily', undefined, query],
        queryFn: () => ask('GET /v1/activity/daily', { query }),
      }
    }),
  })
  const hidden = narrowing.map((name, at) => ({
    name,
    count: counts[at]?.data?.data.total.requests ?? 0,
  }))
  const strictest = hidden.toSorted((a, b) => b.count - a.count)[0]
  return (
    <Empty icon="search" title={words.noHit}>
      {strictest && strictest.count > 0 ? (
        <>
          <p>{words.strictest(words[strictest.name], number(strictest.count))}</p>
          <Button kind="plain" onClick={() => change({ [strictest.name]: '' })}>
            {words.without(words[strictest.name])}
          </Button>
        </>
      ) : (
        <Button kind="plain" onClick={selection.clear}>
          {words.clear}
        </Button>
      )}
    </Empty>
  )
}
