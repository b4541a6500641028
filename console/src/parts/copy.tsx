import { useEffect, useState } from 'react'
import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'

/** Copies a text, and says so. */
export function Copy({ text, label }: { text: string; label?: string }) {
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
  return (
    <>
      <Button
        kind="plain"
        size="small"
        icon={copied ? 'check' : 'copy'}
        onClick={() => void copy()}
      >
        {copied ? common.copied : (label ?? common.copy)}
      </Button>
      <span role="status" className="sr-only">
        {copied ? common.copied : ''}
      </span>
    </>
  )
}
