import { useQueryClient } from '@tanstack/react-query'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

type Chosen = Answer<'GET /v1/me/notification-preferences'>['data']
const ROUTE = 'GET /v1/me/notification-preferences'
const WAYS = ['email', 'sms'] as const
const KINDS = ['payments', 'usage', 'security'] as const

/** A table of check boxes; each is saved at once. */
export function Preferences() {
  const words = useWords(settingsWords)
  const chosen = useAsk(ROUTE)
  return (
    <Section title={words.notices}>
      <p className="text-soft">{words.noticesLead}</p>
      <div className="card p-4">
        <Loaded query={chosen} shape={<Skeleton lines={3} />}>
          {({ data }) => <PreferenceTable chosen={data} />}
        </Loaded>
      </div>
    </Section>
  )
}

function PreferenceTable({ chosen }: { chosen: Chosen }) {
  const words = useWords(settingsWords)
  const client = useQueryClient()
  const save = useForm({
    send: (body: Partial<Record<(typeof WAYS)[number], object>>) =>
      ask('PATCH /v1/me/notification-preferences', { body }),
    onDone: (answer) => client.setQueryData([ROUTE, undefined, undefined], answer),
  })
  return (
    <>
      <table className="w-full">
        <caption className="sr-only">{words.notices}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">{words.kind}</span>
            </th>
            {WAYS.map((way) => (
              <th key={way} scope="col" className="px-2 pb-1 text-sm font-semibold text-soft">
                {words.ways[way]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {KINDS.map((kind) => (
            <tr key={kind}>
              <th scope="row" className="py-1 text-left font-medium">
                {words.kinds[kind]}
              </th>
              {WAYS.map((way) => (
                <td key={way} className="text-center">
                  <label className="inline-flex size-11 items-center justify-center">
                    <input
                      type="checkbox"
                      aria-label={`${words.kinds[kind]}: ${words.ways[way]}`}
                      checked={chosen[way][kind]}
                      disabled={save.busy}
                      onChange={(event) => save.submit({ [way]: { [kind]: event.target.checked } })}
                      className="size-5 accent-green"
                    />
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status" className="text-sm text-soft">
        {save.isDone ? words.saved : ''}
      </p>
      <FailureNotice error={save.error} />
    </>
  )
}
