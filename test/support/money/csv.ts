/** The lines of a CSV file by the names in its head. */
export function parseCsv(text: string): Record<string, string>[] {
  const [head = [], ...lines] = recordsOf(text)
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])))
}

/** RFC 4180: cells may be quoted, and a quoted one may have commas, quotes and lines in it. */
function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    record.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === ',') continue
    records.push(record)
    record = []
  }
  return records
}
