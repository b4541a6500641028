export type Block =
  | { kind: 'text' | 'heading' | 'quote' | 'code'; text: string }
  | { kind: 'list'; ordered: boolean; items: string[] }
  | { kind: 'table'; rows: string[][] }
export type Inline =
  | { kind: 'plain' | 'strong' | 'em' | 'code'; text: string }
  | { kind: 'link'; text: string; href: string }

/** The blocks of a text, line by line. What is not understood stays the text it is. */
export function readBlocks(text: string): Block[] {
  const blocks: Block[] = []
  const lines = text.replaceAll('\r', '').split('\n')
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    const fence = /^\s{0,3}(```|~~~)/.exec(line)?.[1]
    if (fence !== undefined) {
      const from = ++at
      while (at < lines.length && !lines[at]!.trimStart().startsWith(fence)) at++
      blocks.push({ kind: 'code', text: lines.slice(from, at).join('\n') })
      at++
      continue
    }
    const kind = kindOf(line)
    const from = at++
    if (kind === 'blank') continue
    if (kind !== 'heading') while (at < lines.length && kindOf(lines[at]!) === kind) at++
    blocks.push(blockOf(kind, lines.slice(from, at)))
  }
  return blocks
}

type LineKind = 'blank' | 'heading' | 'quote' | 'bullet' | 'number' | 'row' | 'fence' | 'text'

function kindOf(line: string): LineKind {
  const text = line.trim()
  if (text === '') return 'blank'
  if (text.startsWith('```') || text.startsWith('~~~')) return 'fence'
  if (/^#{1,6} /.test(text)) return 'heading'
  if (text.startsWith('>')) return 'quote'
  if (/^[-*+] /.test(text)) return 'bullet'
  if (/^\d{1,3}[.)] /.test(text)) return 'number'
  if (text.startsWith('|') && text.endsWith('|') && text.length > 1) return 'row'
  return 'text'
}

function blockOf(kind: LineKind, lines: string[]): Block {
  const trimmed = lines.map((line) => line.trim())
  if (kind === 'heading') return { kind, text: trimmed[0]!.replace(/^#{1,6} /, '') }
  if (kind === 'quote')
    return { kind, text: trimmed.map((line) => line.replace(/^> ?/, '')).join(' ') }
  if (kind === 'bullet')
    return { kind: 'list', ordered: false, items: trimmed.map((line) => line.slice(2)) }
  if (kind === 'number') {
    const items = trimmed.map((line) => line.replace(/^\d{1,3}[.)] /, ''))
    return { kind: 'list', ordered: true, items }
  }
  if (kind === 'row') {
    const rows = trimmed.map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    return {
      kind: 'table',
      rows: rows.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell))),
    }
  }
  return { kind: 'text', text: lines.join('\n') }
}

/** Bounded pieces only, so that no text makes it slow. */
const INLINE =
  /`([^`\n]{1,400})`|\*\*([^*\n]{1,400})\*\*|\*([^*\s][^*\n]{0,400})\*|\[([^\]\n]{1,200})\]\(([^()\s]{1,1000})\)|(https?:\/\/[^\s<>"')\]]{1,1000})/g

export function readInline(text: string): Inline[] {
  const parts: Inline[] = []
  let from = 0
  const plain = (to: number) => {
    if (to > from) parts.push({ kind: 'plain', text: text.slice(from, to) })
  }
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, em, label, href, bare] = match
    const part = inlineOf({ code, strong, em, label, href: href ?? bare })
    plain(match.index)
    parts.push(part ?? { kind: 'plain', text: whole })
    from = match.index + whole.length
  }
  plain(text.length)
  return parts
}

function inlineOf(
  found: Record<'code' | 'strong' | 'em' | 'label' | 'href', string | undefined>,
): Inline | undefined {
  if (found.code !== undefined) return { kind: 'code', text: found.code }
  if (found.strong !== undefined) return { kind: 'strong', text: found.strong }
  if (found.em !== undefined) return { kind: 'em', text: found.em }
  const { href, label } = found
  return isWebLink(href) ? { kind: 'link', text: label ?? href, href } : undefined
}

/** Only http and https: nothing that a click could run. */
function isWebLink(href: string | undefined): href is string {
  if (href === undefined || !URL.canParse(href)) return false
  return ['http:', 'https:'].includes(new URL(href).protocol)
}
