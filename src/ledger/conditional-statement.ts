/**
 * A part of a conditional statement: common table expressions whose parameters are numbered from
 * `first` on. A part that writes does so only `where (select ok from preconditions_hold)`.
 */
export type StatementPart<Given> = {
  text(first: number): string
  /** One for each parameter. */
  values: readonly ((given: Given) => unknown)[]
  /** An expression that fails the statement if what must be true afterwards is not. */
  postcondition?(first: number): string
}

/** A part that makes a table of one row with one column, `ok`. */
export type Precondition<Given> = StatementPart<Given> & { table: string }

export type ConditionalStatement<Given> = Pick<StatementPart<Given>, 'values'> & { text: string }

/**
 * `durable` and `visible` write all or nothing, and answer with a row if it was all; what is visible
 * is on disk soon after. `locked` is for a transaction that has locked what the precondition is
 * about: it fails where the precondition does not hold.
 */
const ENDS = {
  durable: { results: [] as string[], where: ' where ok' },
  visible: { results: [`set_config('synchronous_commit', 'off', true)`], where: ' where ok' },
  locked: { results: [`assert_postcondition(ok, 'what was locked has changed')`], where: '' },
}

/** One statement that writes all its parts if the precondition holds. Composed once, at load. */
export function conditionalStatement<Given>(
  end: keyof typeof ENDS,
  precondition: Precondition<Given>,
  writes: readonly StatementPart<Given>[],
): ConditionalStatement<Given> {
  const { results, where } = ENDS[end]
  let first = 1
  const postconditions: string[] = []
  const place = (part: StatementPart<Given>) => {
    const text = part.text(first)
    if (part.postcondition) postconditions.push(part.postcondition(first))
    first += part.values.length
    return text
  }
  const parts = [
    place(precondition),
    `preconditions_hold as (select ok from ${precondition.table})`,
    ...writes.map(place),
  ]
  const shown = [...results, ...postconditions].join(', ')
  const text = `with ${parts.join(', ')} select ${shown} from preconditions_hold${where}`
  return {
    // PostgreSQL copies the text with each execution.
    text: text.replace(/\s+/g, ' '),
    values: [precondition, ...writes].flatMap((part) => part.values),
  }
}
