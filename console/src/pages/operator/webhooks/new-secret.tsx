import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { webhooksWords } from './words.ts'

/** Shown this once. */
export function NewSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const words = useWords(webhooksWords)
  return (
    <Dialog title={words.secretTitle} onClose={onClose}>
      <Notice tone="warning" title={words.secretOnce} />
      <code className="rounded-sm bg-sunken p-3 font-mono break-all select-all" data-secret>
        {secret}
      </code>
      <div className="flex flex-wrap gap-2">
        <Copy text={secret} />
        <Button onClick={onClose}>{words.secretSaved}</Button>
      </div>
    </Dialog>
  )
}
