import type { ReactNode } from 'react'
import { commonWords } from '../words/common.ts'
import { useWords } from '../words/language.tsx'

export type Column<Row> = {
  label: string
  show(row: Row): ReactNode
  /** Figures stand to the right. */
  figure?: boolean
  /** Below 640 px it is the first line of the card, without its label. */
  lead?: boolean
}

type Props<Row> = {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** A last cell with buttons. */
  actions?: ((row: Row) => ReactNode) | undefined
  /** It stands in a card already. */
  bare?: boolean
}

/** A table; below 640 px each row is a card with its labels. */
export function Table<Row>({ bare = false, ...table }: Props<Row>) {
  return bare ? (
    <Cells {...table} />
  ) : (
    <div className="sm:card sm:px-2">
      <Cells {...table} />
    </div>
  )
}

function Cells<Row>({ caption, columns, rows, keyOf, actions }: Omit<Props<Row>, 'bare'>) {
  const common = useWords(commonWords)
  return (
    <table className="w-full border-collapse text-left max-sm:block">
      <caption className="sr-only">{caption}</caption>
      <thead className="max-sm:sr-only">
        <tr>
          {columns.map((column) => (
            <th
              key={column.label}
              scope="col"
              className={`border-b border-line px-3 py-2 text-sm font-semibold text-soft ${column.figure ? 'text-right' : ''}`}
            >
              {column.label}
            </th>
          ))}
          {actions && (
            <th scope="col" className="border-b border-line">
              <span className="sr-only">{common.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody className="max-sm:grid max-sm:gap-3">
        {rows.map((row) => (
          <tr key={keyOf(row)} className="max-sm:card max-sm:block max-sm:p-3">
            {columns.map((column) => (
              <td key={column.label} className={cellLook(column)}>
                {!column.lead && (
                  <span aria-hidden="true" className="text-sm text-soft sm:hidden">
                    {column.label}
                  </span>
                )}
                <span className="max-sm:text-right">{column.show(row)}</span>
              </td>
            ))}
            {actions && (
              <td className="sm:border-b sm:border-line sm:px-1 sm:text-right max-sm:block max-sm:pt-1">
                {actions(row)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function cellLook<Row>({ figure, lead }: Column<Row>): string {
  const wide = `sm:border-b sm:border-line sm:px-3 sm:py-3 ${figure ? 'figures sm:text-right' : ''}`
  const narrow = lead
    ? 'max-sm:block max-sm:pb-1 max-sm:font-semibold max-sm:[&>span]:text-left'
    : 'max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:py-1'
  return `${wide} ${narrow}`
}
