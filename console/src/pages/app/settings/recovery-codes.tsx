import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { securityWords } from './security-words.ts'

/** Shown once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose(): void }) {
  const words = useWords(securityWords)
  return (
    <>
      <Notice tone="warning">{words.recoveryWhy}</Notice>
      <ul className="grid gap-1 rounded-sm bg-sunken p-3 font-mono sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Copy text={codes.join('\n')} />
        <Button onClick={onClose}>{words.savedThem}</Button>
      </div>
    </>
  )
}
