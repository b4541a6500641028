import { useEffect } from 'react'
import { send } from '../../../../client/ask.ts'
import { useRemembered } from '../../../../client/device-storage.ts'
import { Button } from '../../../../parts/button.tsx'
import { useForm } from '../../../../parts/form/use-form.ts'
import { FailureNotice } from '../../../../parts/failure-notice.tsx'
import { useWords } from '../../../../words/language.tsx'
import { DownloadLink } from '../picture.tsx'
import { useBlobUrl } from '../use-blob-url.ts'
import { videoWords } from './words.ts'
import { tryWords } from '../words.ts'

/** Downloaded on request: a video uses up much of a phone's data bundle. */
export function VideoPlayer({ id, atOnce }: { id: string; atOnce: boolean }) {
  const words = useWords(videoWords)
  const common = useWords(tryWords)
  const [film, setFilm] = useRemembered<Blob | undefined>(`film ${id}`, undefined)
  const url = useBlobUrl(film)
  const load = useForm({
    send: async () => {
      const response = await send('GET /v1/videos/{job_id}/content', { path: { job_id: id } })
      setFilm(new Blob([await response.arrayBuffer()], { type: 'video/mp4' }))
    },
  })
  useEffect(() => {
    if (atOnce && film === undefined) load.submit()
  }, [])
  if (load.error !== null) {
    return (
      <FailureNotice
        error={load.error}
        kinds={{ gone: words.gone }}
        onRetry={() => load.submit()}
      />
    )
  }
  if (url === undefined) {
    return (
      <div>
        <Button
          kind="plain"
          size="small"
          icon="play"
          busy={load.busy}
          onClick={() => load.submit()}
        >
          {words.watch}
        </Button>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-1">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has written down what is said */}
      <video
        controls
        playsInline
        src={url}
        aria-label={words.watch}
        className="max-h-96 w-full rounded-sm bg-[#101814]"
      />
      <div className="flex justify-end">
        <DownloadLink url={url} name="video.mp4">
          {common.download}
        </DownloadLink>
      </div>
    </div>
  )
}
