import { useMutation } from '@tanstack/react-query'
import { firstCallSamples } from '../../../catalog/first-call.ts'
import { useSampleModel } from '../../../catalog/sample-model.ts'
import { AskFailure, failureOf } from '../../../client/failure.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Sample } from '../../../parts/sample.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { keysWords } from './words.ts'

export type MadeKey = {
  name: string
  key: string
  /** After a leak: the old one is dead, or is still to be revoked. */
  old?: 'revoked' | 'alive'
}

/** The secret, this once; it can be tested before it is saved. */
export function KeyOnce({ made, onClose }: { made: MadeKey; onClose(): void }) {
  const words = useWords(keysWords)
  const { number } = useFormats()
  const model = useSampleModel()
  const test = useMutation({ mutationFn: () => modelsReached(made.key) })
  const samples = firstCallSamples(location.origin, model).map((tab) => ({
    ...tab,
    code: tab.code.replace('$MLANGO_KEY', made.key).replace('mlg_…', made.key),
  }))
  return (
    <Dialog title={words.onceTitle} onClose={onClose}>
      {made.old === 'revoked' && <Notice tone="good">{words.leakedDone}</Notice>}
      {made.old === 'alive' && <Notice tone="bad">{words.leakedHalf}</Notice>}
      <Notice tone="warning" title={words.once} />
      <div className="flex flex-col gap-2 rounded-sm bg-sunken p-3">
        <p className="font-medium break-words">{made.name}</p>
        <code className="font-mono break-all select-all" data-secret>
          {made.key}
        </code>
      </div>
      <div className="flex flex-wrap gap-2">
        <Copy text={made.key} label={words.copyKey} />
        <Button kind="plain" size="small" busy={test.isPending} onClick={() => test.mutate()}>
          {words.test}
        </Button>
      </div>
      {test.isSuccess && <Notice tone="good">{words.testGood(number(test.data))}</Notice>}
      <FailureNotice error={test.error} kinds={{ unauthorized: words.testBad }} />
      <Sample label={words.sample} tabs={samples} />
      <Button wide onClick={onClose}>
        {words.saved}
      </Button>
    </Dialog>
  )
}

/** Asked with the key itself, as a program would; it costs nothing. */
async function modelsReached(key: string): Promise<number> {
  const response = await fetch('/v1/models', { headers: { authorization: `Bearer ${key}` } }).catch(
    () => {
      throw new AskFailure({ status: 0, kind: 'unreachable', message: '' })
    },
  )
  if (!response.ok) throw await failureOf(response)
  const { data } = (await response.json()) as { data: unknown[] }
  return data.length
}
