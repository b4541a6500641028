import type { ReactNode } from 'react'
import { Badge } from '../../../parts/badge.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Money } from '../../../parts/money.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { CALL_TONES } from './calls.tsx'
import { useNames } from './names.ts'
import type { Call } from './selection.ts'
import { activityWords } from './words.ts'

/** Everything that is stored of one call; its content is not stored. */
export function CallDetail({ call, onClose }: { call: Call; onClose(): void }) {
  const words = useWords(activityWords)
  const { fullMoment, number } = useFormats()
  const names = useNames()
  const count = (value: number | undefined) => (value === undefined ? undefined : number(value))
  const lines: [string, ReactNode][] = [
    [
      words.status,
      <Badge key="status" tone={CALL_TONES[call.status]}>
        {words.statuses[call.status]}
      </Badge>,
    ],
    [
      words.error,
      call.error_code && (
        <code key="error" className="font-mono">
          {call.error_code}
        </code>
      ),
    ],
    [
      words.cost,
      call.cost_credits > 0 ? <Money key="cost" credits={call.cost_credits} /> : words.free,
    ],
    [words.kind, words.kinds[call.kind]],
    [words.when, fullMoment(call.created_at)],
    [words.latency, words.seconds(number(call.latency_ms / 1000, 2))],
    [words.prompt, count(call.prompt_tokens)],
    [words.completion, count(call.completion_tokens)],
    [words.key, names.keyName(call.key_id)],
    [words.workspace, names.workspaceName(call.workspace_id)],
  ]
  return (
    <Dialog title={call.model} onClose={onClose}>
      <dl className="divide-y divide-line">
        {lines
          .filter(([, value]) => value !== undefined)
          .map(([label, value]) => (
            <div key={label} className="flex flex-wrap justify-between gap-x-4 py-2">
              <dt className="text-soft">{label}</dt>
              <dd className="figures min-w-0 text-right font-medium break-words">{value}</dd>
            </div>
          ))}
      </dl>
      {call.estimated && <p className="text-sm text-soft">{words.estimated}</p>}
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-sm bg-sunken p-3">
        <p className="min-w-0 text-sm">
          <span className="block text-soft">{words.requestId}</span>
          <code className="font-mono break-all">{call.request_id}</code>
        </p>
        <Copy text={call.request_id} />
      </div>
    </Dialog>
  )
}
