import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { operatorWords } from '../words.ts'
import { officeWords } from './words.ts'

type Operator = Answer<'GET /v1/operator/operators'>['data'][number]

export function Operators() {
  const words = useWords(officeWords)
  const roles = useWords(operatorWords).roles
  const { day } = useFormats()
  const operators = useAsk('GET /v1/operator/operators')
  const me = useOperator()
  const columns: Column<Operator>[] = [
    {
      label: words.name,
      lead: true,
      show: (one) => (
        <>
          <span className="wrap-anywhere">{one.full_name}</span>
          <span className="block text-sm font-normal wrap-anywhere text-soft">
            {one.email ?? one.phone_number}
          </span>
        </>
      ),
    },
    { label: words.role, show: ({ role }) => roles[role] },
    {
      label: words.factor,
      show: ({ passkey, authenticator }) =>
        passkey ? (
          <Badge tone="good">{words.passkey}</Badge>
        ) : authenticator ? (
          <Badge tone="plain">{words.authenticator}</Badge>
        ) : (
          <Badge tone="wait">{words.hasNot}</Badge>
        ),
    },
    { label: words.since, show: ({ added_at }) => day(added_at) },
  ]
  return (
    <Section title={words.operators}>
      <p className="max-w-prose text-soft">
        {words.operatorsLead}{' '}
        <code className="font-mono text-sm whitespace-nowrap">
          npm run mlango -- operators add …
        </code>
      </p>
      {!me.passkey && (
        <Notice tone="info" title={words.betterTitle}>
          <p>{words.better}</p>
          <Link href="/app/settings" className="link">
            {words.betterDo}
          </Link>
        </Notice>
      )}
      <Loaded query={operators} shape={<Skeleton lines={3} />}>
        {({ data }) => (
          <Table
            caption={words.operators}
            columns={columns}
            rows={data}
            keyOf={({ account_id }) => account_id}
          />
        )}
      </Loaded>
    </Section>
  )
}
