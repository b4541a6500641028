import { useMutation } from '@tanstack/react-query'
import { send } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { activityWords } from './words.ts'

/** The same records as a file for a spreadsheet. */
export function Csv({ query }: { query: { from?: unknown; to?: unknown } }) {
  const words = useWords(activityWords)
  const fetchFile = useMutation({
    mutationFn: async () => {
      const response = await send('GET /v1/activity.csv', { query })
      save(await response.blob(), `mlango-${String(query.from)}-${String(query.to)}.csv`)
    },
  })
  return (
    <>
      <Button
        kind="plain"
        icon="download"
        busy={fetchFile.isPending}
        onClick={() => fetchFile.mutate()}
      >
        {words.csv}
      </Button>
      <FailureNotice error={fetchFile.error} />
    </>
  )
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
