import { send } from '../../../client/ask.ts'
import { saveFile } from '../../../client/save-file.ts'
import { Button } from '../../../parts/button.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { activityWords } from './words.ts'

/** The same records as a file for a spreadsheet. */
export function DownloadCsv({ query }: { query: { from?: unknown; to?: unknown } }) {
  const words = useWords(activityWords)
  const file = useForm({
    send: async () => {
      const response = await send('GET /v1/activity.csv', { query })
      saveFile(await response.blob(), `mlango-${String(query.from)}-${String(query.to)}.csv`)
    },
  })
  return (
    <>
      <Button kind="plain" icon="download" busy={file.busy} onClick={() => file.submit()}>
        {words.csv}
      </Button>
      <FailureNotice error={file.error} />
    </>
  )
}
