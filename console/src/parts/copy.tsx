import { useEffect, useState } from 'react'
import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** Copies a text, and confirms it. `small`: an icon for a dark background. */
export function Copy({ text, label, small }: { text: string; label?: string; small?: boolean }) {
  const common = useWords(commonWords)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), 2_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  const said = copied ? common.copied : (label ?? common.copy)
  const icon = copied ? 'check' : 'copy'
  return (
    <>
      {small ? (
        <button
          type="button"
          aria-label={said}
          title={said}
          onClick={() => void copy()}
          className="inline-flex size-11 items-center justify-center rounded-sm text-[#a9b6ab] hover:text-white"
        >
          <Icon name={icon} />
        </button>
      ) : (
        <Button kind="plain" size="small" icon={icon} onClick={() => void copy()}>
          {said}
        </Button>
      )}
      <span role="status" className="sr-only">
        {copied ? common.copied : ''}
      </span>
    </>
  )
}
