import { Link } from 'wouter'
import { ask } from '../../../client/ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Icon } from '../../../parts/icon.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { targetOf, type NoticeShown } from './target.ts'
import { noticesWords } from './words.ts'

/** Text, time, what was also sent by mail or SMS, and a link to the subject. */
export function NoticeLine({ notice }: { notice: NoticeShown }) {
  const words = useWords(noticesWords)
  const { moment } = useFormats()
  const target = targetOf(notice)
  const ways = notice.sent_by.map((way) => words.ways[way]).join(words.and)
  const read = useForm({
    send: () => ask('PATCH /v1/notifications/{id}/read', { path: { id: notice.id } }),
    renews: ['GET /v1/notifications'],
  })
  return (
    <li className={`flex gap-3 p-4 ${notice.read ? '' : 'bg-green-wash/50'}`}>
      <span className={`mt-0.5 ${notice.read ? 'text-soft' : 'text-green'}`}>
        <Icon name={target?.icon ?? 'bell'} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <p className="font-semibold break-words">{notice.title}</p>
          {!notice.read && <Badge tone="plain">{words.isNew}</Badge>}
        </div>
        <p className="break-words">{notice.body}</p>
        <p className="text-sm text-soft">
          {moment(notice.created_at)}
          {ways && ` · ${words.sent(ways)}`}
        </p>
        <div className="flex flex-wrap gap-x-4">
          {target && (
            <Link
              href={target.to}
              className="link inline-flex min-h-11 items-center"
              onClick={() => !notice.read && read.submit()}
            >
              {words.open[target.label]}
            </Link>
          )}
          {!notice.read && (
            <Button kind="quiet" size="small" onClick={() => read.submit()} busy={read.busy}>
              {words.read}
            </Button>
          )}
        </div>
      </div>
    </li>
  )
}
