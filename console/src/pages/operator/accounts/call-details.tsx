import { Badge } from '../../../parts/badge.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Money } from '../../../parts/money.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { CALL_TONES } from '../../app/activity/calls.tsx'
import type { Call } from '../../app/activity/selection.ts'
import { activityWords } from '../../app/activity/words.ts'
import { DetailList } from '../detail-list.tsx'

/** Everything that is stored of a customer's call; its content is not stored. */
export function CallDetails({ call, onClose }: { call: Call; onClose(): void }) {
  const words = useWords(activityWords)
  const { fullMoment, number } = useFormats()
  const count = (value: number | undefined) => (value === undefined ? undefined : number(value))
  return (
    <Dialog title={call.model} onClose={onClose}>
      <DetailList
        details={[
          [
            words.status,
            <Badge key="status" tone={CALL_TONES[call.status]}>
              {words.statuses[call.status]}
            </Badge>,
          ],
          [words.error, call.error_code],
          [words.cost, <Money key="cost" credits={call.cost_credits} />],
          [words.kind, words.kinds[call.kind]],
          [words.when, fullMoment(call.created_at)],
          [words.latency, words.seconds(number(call.latency_ms / 1000, 2))],
          [words.prompt, count(call.prompt_tokens)],
          [words.completion, count(call.completion_tokens)],
          [words.key, call.key_id],
          [words.requestId, call.request_id],
        ]}
      />
      {call.estimated && <p className="text-sm text-soft">{words.estimated}</p>}
    </Dialog>
  )
}
