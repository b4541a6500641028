import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Bars } from '../../../parts/bars.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { upstreamsWords } from './words.ts'

type Minute = Answer<'GET /v1/operator/upstreams/{name}/minutes'>['data'][number]
type Step = { at: number; calls: number; errors: number }

const STEP_MS = 5 * 60_000
const STEPS = 36

/** Calls and errors of three hours, in steps of five minutes. */
export function RecentCalls({ name, onClose }: { name: string; onClose(): void }) {
  const words = useWords(upstreamsWords)
  const { time, number } = useFormats()
  const minutes = useAsk('GET /v1/operator/upstreams/{name}/minutes', { path: { name } })
  return (
    <Dialog title={words.historyTitle(name)} onClose={onClose}>
      <Loaded
        query={minutes}
        shape={<Skeleton lines={2} tall />}
        empty={<p className="text-soft">{words.nothing}</p>}
      >
        {({ data }) =>
          (['calls', 'errors'] as const).map((what) => (
            <div key={what}>
              <h3 className="mb-2 text-sm text-soft">{words[what]}</h3>
              <Bars
                caption={words[what]}
                unit={words.perMinute}
                bars={stepsOf(data).map((step) => ({
                  key: String(step.at),
                  label: time(step.at),
                  value: step[what],
                  shown: number(step[what]),
                }))}
              />
            </div>
          ))
        }
      </Loaded>
    </Dialog>
  )
}

function stepsOf(minutes: Minute[], now = Date.now()): Step[] {
  const last = Math.floor(now / STEP_MS) * STEP_MS
  return Array.from({ length: STEPS }, (_, place) => {
    const at = last - (STEPS - 1 - place) * STEP_MS
    const inside = minutes.filter((one) => {
      const moment = Date.parse(one.at)
      return moment >= at && moment < at + STEP_MS
    })
    return {
      at,
      calls: inside.reduce((sum, one) => sum + one.calls, 0),
      errors: inside.reduce((sum, one) => sum + one.errors, 0),
    }
  })
}
