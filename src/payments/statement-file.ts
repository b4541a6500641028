import { invalidField } from '../lib/failure.ts'

/** A payment as the provider's statement has it. */
export type StatementRow = {
  line: number
  reference: string | undefined
  providerRef: string | undefined
  amountTzs: number
  paid: boolean
}

/** The names that providers give to these columns, without case, spaces and underscores. */
const COLUMNS = {
  reference: ['reference', 'orderreference', 'orderid', 'externalreference', 'merchantreference'],
  providerRef: ['id', 'transactionid', 'paymentreference', 'providerreference'],
  amount: ['amount', 'amounttzs', 'collectedamount'],
  status: ['status'],
}
const PAID = new Set(['completed', 'complete', 'success', 'successful', 'settled', 'paid'])

/** Reads a statement in CSV. Without a column for the status, every row is a paid one. */
export function readStatement(csv: string): StatementRow[] {
  const [header = [], ...lines] = readCsv(csv)
  const names = header.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const columnOf = (known: string[]) => names.findIndex((name) => known.includes(name))
  const at = {
    reference: columnOf(COLUMNS.reference),
    providerRef: columnOf(COLUMNS.providerRef),
    amount: columnOf(COLUMNS.amount),
    status: columnOf(COLUMNS.status),
  }
  if (at.amount < 0) throw invalidField('csv', 'must have a column `amount`')
  if (at.reference < 0 && at.providerRef < 0) {
    throw invalidField('csv', 'must have a column `reference` or `transaction_id`')
  }
  return lines.flatMap((cells, index) => {
    if (cells.every((cell) => cell === '')) return []
    const text = (column: number) => cells[column]?.trim() || undefined
    const line = index + 2
    const status = text(at.status)?.toLowerCase()
    return [
      {
        line,
        reference: text(at.reference),
        providerRef: text(at.providerRef),
        amountTzs: amountOf(text(at.amount), line),
        paid: at.status < 0 || (status !== undefined && PAID.has(status)),
      },
    ]
  })
}

/** `5,000`, `5000.00`: whole shillings. */
function amountOf(text: string | undefined, line: number): number {
  const plain = (text ?? '').replaceAll(',', '')
  if (!/^\d{1,12}(\.0{1,4})?$/.test(plain)) {
    throw invalidField('csv', `has no whole amount of shillings in line ${line}`)
  }
  return Number.parseInt(plain, 10)
}

/** RFC 4180: commas, quotes, and line breaks inside quotes. One pass over the text. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; at++) {
    const letter = text[at]!
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[at++]!
      else quoted = false
    } else if (letter === '"' && cell === '') {
      quoted = true
    } else if (letter === ',' || letter === '\n') {
      row.push(cell)
      cell = ''
      if (letter === '\n') rows.push(row)
      if (letter === '\n') row = []
    } else if (letter !== '\r') {
      cell += letter
    }
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}
