import { useBlobUrl } from './use-blob-url.ts'

/** An audio player; the text of what is heard stands beside it. */
export function AudioPlayer({ blob, label }: { blob: Blob; label: string }) {
  const url = useBlobUrl(blob)
  if (url === undefined) return <div className="h-14" />
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- its text is on the page
  return <audio controls src={url} aria-label={label} className="h-14 w-full" />
}
