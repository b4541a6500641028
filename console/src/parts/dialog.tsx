import { useEffect, useId, useRef, type ReactNode } from 'react'
import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { IconButton } from './button.tsx'

type Props = { title: string; onClose(): void; children: ReactNode }

/** Open while it is rendered. The browser keeps the focus inside and closes it on Escape. */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const common = useWords(commonWords)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog !== null && !dialog.open) dialog.showModal()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      className="card w-[min(32rem,calc(100vw-2rem))] p-0 shadow-2xl max-sm:mb-0 max-sm:w-full max-sm:max-w-full max-sm:rounded-b-none"
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 id={id} className="text-lg">
          {title}
        </h2>
        <IconButton icon="cross" label={common.close} onClick={() => ref.current?.close()} />
      </div>
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </dialog>
  )
}
