import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Money } from '../../../parts/money.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Call } from './selection.ts'
import { activityWords } from './words.ts'

export const CALL_TONES: Record<Call['status'], Tone> = {
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

type Props = { calls: readonly Call[]; onShow(call: Call): void }

/** The newest first; each opens its details. */
export function Calls({ calls, onShow }: Props) {
  const words = useWords(activityWords)
  const { moment, number } = useFormats()
  const columns: Column<Call>[] = [
    {
      label: words.model,
      lead: true,
      show: (call) => (
        <>
          <button
            type="button"
            onClick={() => onShow(call)}
            className="link min-h-11 text-left font-semibold break-all"
          >
            {call.model}
            <span className="sr-only">: {words.details}</span>
          </button>
          <span className="block text-sm font-normal text-soft">
            {words.kinds[call.kind]} · {moment(call.created_at)}
          </span>
        </>
      ),
    },
    {
      label: words.status,
      show: ({ status }) => <Badge tone={CALL_TONES[status]}>{words.statuses[status]}</Badge>,
    },
    {
      label: words.tokens,
      figure: true,
      show: (call) => (call.total_tokens === undefined ? '–' : number(call.total_tokens)),
    },
    { label: words.cost, figure: true, show: (call) => <Money credits={call.cost_credits} /> },
  ]
  return <Table caption={words.title} columns={columns} rows={calls} keyOf={(call) => call.id} />
}
