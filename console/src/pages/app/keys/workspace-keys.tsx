import { Link } from 'wouter'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Money } from '../../../parts/money.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { dayInTanzania } from '../activity/selection.ts'
import type { Key, KeyDialog, Workspace, WorkspaceDialog } from './types.ts'
import { workspaceName } from './workspace-name.ts'
import { keysWords } from './words.ts'

type Props = {
  workspace: Workspace
  keys: Key[]
  onKey(dialog: KeyDialog): void
  onWorkspace(dialog: WorkspaceDialog): void
}

export function WorkspaceKeys({ workspace, keys, onKey, onWorkspace }: Props) {
  const words = useWords(keysWords)
  const columns = useColumns()
  return (
    <section className="mb-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4">
        <h2 className="min-w-0 text-lg break-words">{workspaceName(workspace, words.default)}</h2>
        {!workspace.is_default && (
          <div className="flex flex-wrap">
            <Button
              kind="quiet"
              size="small"
              onClick={() => onWorkspace({ kind: 'rename', workspace })}
            >
              {words.workspaceRename}
            </Button>
            <Button
              kind="quiet"
              size="small"
              onClick={() => onWorkspace({ kind: 'delete', workspace })}
            >
              {words.workspaceDelete}
            </Button>
          </div>
        )}
      </div>
      {keys.length === 0 ? (
        <p className="card p-4 text-soft">{words.noneHere}</p>
      ) : (
        <Table
          caption={`${words.title}: ${workspaceName(workspace, words.default)}`}
          columns={columns}
          rows={keys}
          keyOf={(key) => key.id}
          actions={(key) => (
            <div className="flex flex-wrap justify-end max-sm:justify-between max-sm:border-t max-sm:border-line">
              {(['rename', 'leaked', 'revoke'] as const).map((kind) => (
                <Button
                  key={kind}
                  kind="quiet"
                  size="small"
                  aria-label={`${words[kind]} ${key.name}`}
                  onClick={() => onKey({ kind, target: key })}
                >
                  {words[kind]}
                </Button>
              ))}
            </div>
          )}
        />
      )}
    </section>
  )
}

function useColumns(): Column<Key>[] {
  const words = useWords(keysWords)
  const { moment, day } = useFormats()
  const from = `${dayInTanzania(0).slice(0, 7)}-01`
  const month = useAsk('GET /v1/activity/daily', { query: { from, group: 'key' } })
  const spent = (id: string) => month.data?.data.groups?.find((group) => group.id === id)
  return [
    {
      label: words.name,
      lead: true,
      show: (key) => (
        <>
          <span className="break-words">{key.name}</span>
          <code className="block font-mono text-sm font-normal text-soft">
            {key.prefix}…{key.last4}
          </code>
        </>
      ),
    },
    {
      label: words.lastUsed,
      show: (key) => (key.last_used_at === undefined ? words.never : moment(key.last_used_at)),
    },
    {
      label: words.expiry,
      show: (key) =>
        key.status === 'expired' ? (
          <Badge tone="bad">{words.ended}</Badge>
        ) : key.expires_at === undefined ? (
          words.noExpiry
        ) : (
          day(key.expires_at)
        ),
    },
    {
      label: words.month,
      figure: true,
      show: (key) => (
        <Link href={`/app/activity?period=month&key=${key.id}`} className="link">
          <span className="sr-only">{`${words.activity}, ${key.name}: `}</span>
          <Money credits={spent(key.id)?.cost_credits ?? 0} />
        </Link>
      ),
    },
  ]
}
