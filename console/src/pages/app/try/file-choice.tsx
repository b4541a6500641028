import { useId, useState } from 'react'
import { Icon } from '../../../parts/icon.tsx'
import { IconButton } from '../../../parts/button.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { FILE_KINDS, FILE_TYPES, kindOf } from './document/kinds.ts'
import { documentWords } from './document/words.ts'
import { useBlobUrl } from './use-blob-url.ts'

type Props = { file: File | undefined; onChange(file: File | undefined): void }

/** One file, by a tap or by dropping it here. */
export function FileChoice({ file, onChange }: Props) {
  const words = useWords(documentWords)
  const { number } = useFormats()
  const id = useId()
  const [error, setError] = useState<string>()
  const take = (next: File | undefined) => {
    if (next === undefined) return
    const kind = kindOf(next)
    if (kind === undefined) return setError(words.wrongFile)
    const { mostMiB } = FILE_KINDS[kind]
    if (next.size > mostMiB * 1024 * 1024) return setError(words.tooLarge(number(mostMiB)))
    setError(undefined)
    onChange(next)
  }
  if (file !== undefined) return <ChosenFile file={file} onRemove={() => onChange(undefined)} />
  return (
    <div>
      <label
        htmlFor={id}
        className="relative flex cursor-pointer flex-col items-center gap-2 rounded-md border-2 border-dashed border-edge bg-page px-4 py-6 text-center hover:bg-green-wash focus-within:outline-3 focus-within:outline-green"
      >
        <span className="text-green">
          <Icon name="file" size={32} />
        </span>
        <span className="font-semibold">{words.file}</span>
        <span className="text-sm text-soft">{words.fileSay}</span>
        <input
          id={id}
          type="file"
          accept={FILE_TYPES}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={(event) => take(event.target.files?.[0])}
          // Covers the whole area, so that a file can be dropped anywhere.
          className="absolute inset-0 cursor-pointer opacity-0"
        />
      </label>
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm font-medium text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

function ChosenFile({ file, onRemove }: { file: File; onRemove(): void }) {
  const words = useWords(documentWords)
  const { number } = useFormats()
  const kind = kindOf(file) ?? 'document'
  const url = useBlobUrl(kind === 'vision' ? file : undefined)
  const icons = { document: 'file', vision: 'picture', video: 'video' } as const
  return (
    <div className="flex items-center gap-3 rounded-md border border-line bg-page p-3">
      {url === undefined ? (
        <span className="flex size-14 shrink-0 items-center justify-center rounded-sm bg-green-wash text-green">
          <Icon name={icons[kind]} size={28} />
        </span>
      ) : (
        <img src={url} alt="" className="size-14 shrink-0 rounded-sm object-cover" />
      )}
      <div className="min-w-0 flex-1">
        <p className="font-semibold [overflow-wrap:anywhere]">{file.name}</p>
        <p className="figures text-sm text-soft">
          {words.kinds[kind]} · {words.size(number(Math.max(1, file.size / 1024)))}
        </p>
      </div>
      <IconButton icon="cross" label={words.remove} onClick={onRemove} />
    </div>
  )
}
