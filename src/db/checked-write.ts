import type { Tx } from './db.ts'
import { oneRow, rowList, selectAll, selectOne, type RowType } from './row-list.ts'

/**
 * A part of one larger statement: common table expressions, whose parameters are numbered from
 * `first` on. A write does nothing unless `(select ok from verdict)`.
 */
export type Clause = {
  text(first: number): string
  /** An expression that fails if what must be true afterwards is not. */
  promise?(first: number): string
}

/** A clause that makes a table of its name, with one row and one column `ok`. */
export type Check = Clause & { table: string }

/** With the values of its parameters. */
type Filled<Part extends Clause> = { clause: Part; values: unknown[] }

/** A row for a clause that inserts rows from lists, one for each column. */
export type RowFor = { clause: Clause; row: unknown[] }

/** Rows of one clause become one insertion. */
export function rowsWrite(rows: readonly RowFor[]): CheckedWrite['writes'] {
  const found = new Map<Clause, unknown[][]>()
  for (const { clause, row } of rows) found.set(clause, [...(found.get(clause) ?? []), row])
  return [...found].map(([clause, all]) => ({
    clause,
    values: all[0]!.map((_, column) => all.map((row) => row[column])),
  }))
}

/** A clause that writes rows of a type: a form for one row, as of a lone call, and one for a list. */
export type RowsClause<R> = { type: RowType<R>; one: Clause; list: Clause }

/**
 * `makeText` gets the `select` of the rows, with the columns in the order of the type, and the number
 * of the first parameter behind them.
 */
export function rowsClause<R>(
  type: RowType<R>,
  makeText: (rows: string, next: number) => string,
): RowsClause<R> {
  return {
    type,
    one: { text: (first) => makeText(selectOne(type, first), first + 1) },
    list: { text: (first) => makeText(selectAll(type, first), first + 1) },
  }
}

/** `more` are the values of further parameters. */
export function writeRows<R>(
  { type, one, list }: RowsClause<R>,
  rows: readonly R[],
  more: unknown[] = [],
): CheckedWrite['writes'] {
  if (rows.length === 0) return []
  if (rows.length === 1) return [{ clause: one, values: [oneRow(type, rows[0]!), ...more] }]
  return [{ clause: list, values: [rowList(type, rows), ...more] }]
}

export type CheckedWrite = {
  checks: Filled<Check>[]
  writes: Filled<Clause>[]
}

/**
 * Writes all of it in one statement if every check holds, else nothing. Says which it was. By itself
 * a statement is a transaction; one that is `visible` is seen at once, and on disk soon.
 */
export async function writeIfTrue(
  tx: Tx,
  write: CheckedWrite,
  how: 'durable' | 'visible' = 'durable',
): Promise<boolean> {
  const rows = await tx.query(textOf(write, how), valuesOf(write))
  return rows.length > 0
}

/** The same with everything locked on which the checks depend: fails if one does not hold. */
export async function writeSurely(tx: Tx, write: CheckedWrite): Promise<void> {
  await tx.query(textOf(write, 'surely'), valuesOf(write))
}

function valuesOf({ checks, writes }: CheckedWrite): unknown[] {
  return [...checks, ...writes].flatMap(({ values }) => values)
}

/** A row if all of it was written. It has no column unless it must: the driver reads each anew. */
const ENDS = {
  durable: { columns: [], condition: ' where ok' },
  visible: {
    columns: [`set_config('synchronous_commit', 'off', true)`],
    condition: ' where ok',
  },
  surely: { columns: [`kept_promise(ok, 'what was locked has changed')`], condition: '' },
}

/** Texts are made once: there are few ways in which the clauses come together. */
const known: Texts = { texts: new Map(), next: new Map() }
type Texts = { texts: Map<keyof typeof ENDS, string>; next: Map<Clause, Texts> }

function textOf(write: CheckedWrite, end: keyof typeof ENDS): string {
  let texts = known
  for (const { clause } of [...write.checks, ...write.writes]) {
    const next = texts.next.get(clause) ?? { texts: new Map(), next: new Map() }
    texts.next.set(clause, next)
    texts = next
  }
  const text = texts.texts.get(end) ?? makeText(write, end)
  texts.texts.set(end, text)
  return text
}

function makeText({ checks, writes }: CheckedWrite, how: keyof typeof ENDS): string {
  let first = 1
  const { columns, condition } = ENDS[how]
  const results: string[] = [...columns]
  const place = ({ clause, values }: Filled<Clause>) => {
    const text = clause.text(first)
    if (clause.promise) results.push(clause.promise(first))
    first += values.length
    return text
  }
  const tables = checks.map(place)
  const all = checks.map(({ clause }) => `(select ok from ${clause.table})`)
  const verdict = all.length === 1 ? all[0]! : `(select ${all.join(' and ') || 'true'} as ok)`
  const parts = [...tables, `verdict as ${verdict}`, ...writes.map(place)]
  const text = `with ${parts.join(', ')} select ${results.join(', ')} from verdict${condition}`
  // PostgreSQL copies the text with each execution.
  return text.replace(/\s+/g, ' ')
}

/** `$3::uuid[], $4::int8[]`: arrays of these types, from the third parameter on. */
export function arrays(first: number, types: readonly string[]): string {
  return types.map((type, i) => `$${first + i}::${type}[]`).join(', ')
}
