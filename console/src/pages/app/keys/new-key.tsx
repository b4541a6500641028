import { firstCallSamples } from '../../../catalog/first-call.ts'
import { useSampleModel } from '../../../catalog/sample-model.ts'
import { AskFailure, failureOf } from '../../../client/failure.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Sample } from '../../../parts/sample.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { CreatedKey } from './types.ts'
import { keysWords } from './words.ts'

/** The secret, shown this once; it can be tested before it is saved. */
export function NewKey({ created, onClose }: { created: CreatedKey; onClose(): void }) {
  const words = useWords(keysWords)
  const { number } = useFormats()
  const model = useSampleModel()
  const test = useForm({ send: () => modelsReached(created.key) })
  const samples = firstCallSamples(location.origin, model).map((tab) => ({
    ...tab,
    code: tab.code.replace('$MLANGO_KEY', created.key).replace('mlg_…', created.key),
  }))
  return (
    <Dialog title={words.onceTitle} onClose={onClose}>
      {created.old === 'revoked' && <Notice tone="good">{words.leakedDone}</Notice>}
      {created.old === 'alive' && <Notice tone="bad">{words.leakedHalf}</Notice>}
      <Notice tone="warning" title={words.once} />
      <div className="flex flex-col gap-2 rounded-sm bg-sunken p-3">
        <p className="font-medium break-words">{created.name}</p>
        <code className="font-mono break-all select-all" data-secret>
          {created.key}
        </code>
      </div>
      <div className="flex flex-wrap gap-2">
        <Copy text={created.key} label={words.copyKey} />
        <Button kind="plain" size="small" busy={test.busy} onClick={() => test.submit()}>
          {words.test}
        </Button>
      </div>
      {test.result !== undefined && (
        <Notice tone="good">{words.testGood(number(test.result))}</Notice>
      )}
      <FailureNotice error={test.error} kinds={{ unauthorized: words.testBad }} />
      <Sample label={words.sample} tabs={samples} />
      <Button wide onClick={onClose}>
        {words.saved}
      </Button>
    </Dialog>
  )
}

/** Sent with the key itself, as a program would; it costs nothing. */
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
