import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tx } from '../../src/db/db.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '../../docs/schema.sql')

/**
 * The database as all migrations leave it, in the order in which they made it. Definitions come from
 * the server, the comments beside tables and columns from the migrations.
 */
export async function describeSchema(tx: Tx): Promise<string> {
  const { comments, headings } = readMigrations()
  const objects = await tx.read<SchemaObject>(`${TABLES} union all ${TYPES} union all ${FUNCTIONS}
    union all ${AGGREGATES} order by oid`)
  const parts = objects.map((object) =>
    [headings.get(object.name), comments.get(object.name), statement(object, comments)]
      .filter((text) => text !== undefined)
      .join('\n'),
  )
  return `${TITLE}\n\n${parts.join('\n\n')}\n`
}

const TITLE = `-- What the database is: written from the migrations by \`npm run schema\`, compared by
-- test/db/schema.test.ts. Change a table by a new file in src/db/migrations.`

type SchemaObject = { name: string; head: string; members: string[]; tail: string; after: string[] }
type Comments = Map<string, string>

function statement({ name, head, members, tail, after }: SchemaObject, comments: Comments): string {
  const body = members.map((member, i) => {
    const comment = comments.get(`${name}.${member.split(' ', 1)[0]}`)?.replace(/^/gm, '  ')
    const line = `  ${plain(member)}${i === members.length - 1 ? '' : ','}`
    return comment === undefined ? line : `${comment}\n${line}`
  })
  const own = members.length === 0 ? plain(head) : `${plain(head)} (\n${body.join('\n')}\n)${tail}`
  const later = after.flatMap((sql) => [
    comments.get(/(?:INDEX|TRIGGER) (\w+)/.exec(sql)?.[1] ?? ''),
    `${plain(sql)};`,
  ])
  return [`${own.trimEnd()};`, ...later].filter((text) => text !== undefined).join('\n')
}

/** The server's long words, as the migrations write them. */
function plain(sql: string): string {
  return sql
    .replace(/\bpublic\./g, '')
    .replace(/timestamp(\(\d\))? with time zone/g, 'timestamptz$1')
    .replace(/\bbigint\b/g, 'int8')
    .replace(/\binteger\b/g, 'int')
    .replace(/ USING btree/g, '')
    .replace(/'::text\b/g, "'")
    .replace(/ = ANY \(ARRAY\[([^\]]*)\]\)/g, ' in ($1)')
    .replace(/\bCHECK \(\((.*)\)\)$/s, 'check ($1)')
    .replace(WORDS, (word) => word.toLowerCase())
}

const WORDS =
  /\b(?:CREATE|OR|REPLACE|FUNCTION|RETURNS|LANGUAGE|UNIQUE|INDEX|ON|USING|WHERE|INCLUDE|TRIGGER|BEFORE|UPDATE|DELETE|TRUNCATE|INSERT|AFTER|FOR|EACH|STATEMENT|ROW|EXECUTE|PRIMARY|KEY|FOREIGN|REFERENCES|CASCADE|CHECK|AND|NOT|IS|NULL|DESC|IMMUTABLE|STABLE|PARALLEL|SAFE|COALESCE|IN|SET|AS|DEFAULT|STORED|DEFERRABLE|INITIALLY|DEFERRED|STRICT|WITH)\b/g

const COLUMNS = `select coalesce(array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull and c.relkind = 'r' then 'not null' end,
    case a.attidentity when 'a' then 'generated always as identity' end,
    case when a.attgenerated = 's' then 'generated always as ' || pg_get_expr(d.adbin, d.adrelid) || ' stored'
      else 'default ' || pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum), '{}')
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`
const CONSTRAINTS = `select coalesce(array_agg(case when contype = 'c' and conname !~ '_check[0-9]*$'
      then 'constraint ' || conname || ' ' else '' end || pg_get_constraintdef(oid, contype <> 'c')
    order by contype = 'c', contype <> 'p', conname), '{}')
  from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c')`
const INDEXES = `select array_agg(pg_get_indexdef(indexrelid) order by indexrelid) from pg_index
  where indrelid = c.oid
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))`
const TRIGGERS = `select array_agg(pg_get_triggerdef(oid) order by oid) from pg_trigger
  where tgrelid = c.oid and not tgisinternal`
const TABLES = `select c.oid, c.relname::text as name, 'create table ' || c.relname as head,
    (${COLUMNS}) || (${CONSTRAINTS}) as members,
    coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as tail,
    coalesce((${INDEXES}), '{}') || coalesce((${TRIGGERS}), '{}') as after
  from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
const TYPES = `select c.oid, c.relname, 'create type ' || c.relname || ' as', (${COLUMNS}), '', '{}'
  from pg_class c where c.relkind = 'c' and c.relnamespace = 'public'::regnamespace`
const FUNCTIONS = `select oid, proname, pg_get_functiondef(oid), '{}', '', '{}' from pg_proc
  where pronamespace = 'public'::regnamespace and prokind = 'f'`
const AGGREGATES = `select p.oid, proname,
    format('create aggregate %s(%s) (sfunc = %s, stype = %s, initcond = %L)', proname,
      pg_get_function_arguments(p.oid), aggtransfn, aggtranstype::regtype, agginitval), '{}', '', '{}'
  from pg_proc p join pg_aggregate on aggfnoid = p.oid where pronamespace = 'public'::regnamespace`

/** The comments before a table, a function or a column, and what each file says it is about. */
function readMigrations(): { comments: Comments; headings: Comments } {
  const folder = join(import.meta.dirname, '../../src/db/migrations')
  const comments: Comments = new Map()
  const headings: Comments = new Map()
  for (const file of readdirSync(folder).sort()) {
    const [why, ...lines] = readFileSync(join(folder, file), 'utf8').split('\n')
    let heading: string | undefined = `-- ## ${file}\n${why}\n`
    let table = ''
    let comment: string[] = []
    for (const line of lines) {
      if (/^\s*--/.test(line)) {
        comment.push(line.trim())
        continue
      }
      const made = /^create (?:table|type|function|aggregate) (\w+)/.exec(line)?.[1]
      if (made !== undefined) {
        table = made
        if (heading !== undefined) headings.set(made, heading)
        heading = undefined
      }
      const altered = /^alter table (\w+) add column (\w+)/.exec(line)
      const index = /^create (?:unique )?(?:index|trigger) (\w+)/.exec(line)?.[1]
      const column = /^ {2}(?:constraint )?(\w+) /.exec(line)?.[1]
      const name =
        made ?? index ?? (altered ? `${altered[1]}.${altered[2]}` : column && `${table}.${column}`)
      if (name !== undefined && comment.length > 0) comments.set(name, comment.join('\n'))
      comment = []
    }
  }
  return { comments, headings }
}
