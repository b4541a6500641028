import { Icon } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { useBlobUrl } from './use-blob-url.ts'
import { tryWords } from './words.ts'

export function Picture({ blob, name, text }: { blob: Blob; name: string; text: string }) {
  const words = useWords(tryWords)
  const url = useBlobUrl(blob)
  if (url === undefined) return null
  return (
    <figure className="card overflow-hidden">
      <img src={url} alt={text} className="w-full bg-sunken" />
      <figcaption className="flex justify-end px-2">
        <DownloadLink url={url} name={`${name}.${blob.type.split('/')[1]}`}>
          {words.download}
        </DownloadLink>
      </figcaption>
    </figure>
  )
}

export function DownloadLink(props: { url: string; name: string; children: string }) {
  return (
    <a
      href={props.url}
      download={props.name}
      className="inline-flex min-h-11 items-center gap-2 rounded-sm px-3 text-sm font-semibold text-green hover:bg-green-wash"
    >
      <Icon name="download" />
      {props.children}
    </a>
  )
}
