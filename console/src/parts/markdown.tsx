import { Fragment, type ReactNode } from 'react'
import { readBlocks, readInline, type Block, type Inline } from './markdown-reader.ts'

/** What a model wrote, as elements: no HTML is made from its text, and only web links are links. */
export function Markdown({ text }: { text: string }) {
  return <div className="flex flex-col gap-3 break-words">{readBlocks(text).map(showBlock)}</div>
}

function showBlock(block: Block, at: number): ReactNode {
  if (block.kind === 'code') {
    return (
      <pre
        key={at}
        tabIndex={0}
        className="overflow-x-auto rounded-sm bg-sunken p-3 font-mono text-sm"
      >
        <code>{block.text}</code>
      </pre>
    )
  }
  if (block.kind === 'list') {
    const List = block.ordered ? 'ol' : 'ul'
    return (
      <List key={at} className={`pl-6 ${block.ordered ? 'list-decimal' : 'list-disc'}`}>
        {block.items.map((item, index) => (
          <li key={index}>{showText(item)}</li>
        ))}
      </List>
    )
  }
  if (block.kind === 'heading') {
    return (
      <p key={at} className="text-lg font-semibold">
        {showText(block.text)}
      </p>
    )
  }
  if (block.kind === 'quote') {
    return (
      <blockquote key={at} className="border-l-4 border-line pl-3 text-soft">
        {showText(block.text)}
      </blockquote>
    )
  }
  if (block.kind === 'table') {
    return (
      // A keyboard must be able to scroll it.
      <div key={at} tabIndex={0} className="overflow-x-auto">
        <table className="border-collapse text-sm">
          <tbody>
            {block.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, column) => (
                  <td
                    key={column}
                    className={`border border-line px-2 py-1 ${index === 0 ? 'font-semibold' : ''}`}
                  >
                    {showText(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )
  }
  return (
    <p key={at} className="whitespace-pre-wrap">
      {showText(block.text)}
    </p>
  )
}

const showText = (text: string) => readInline(text).map(showInline)

function showInline(part: Inline, at: number): ReactNode {
  if (part.kind === 'strong') return <strong key={at}>{part.text}</strong>
  if (part.kind === 'em') return <em key={at}>{part.text}</em>
  if (part.kind === 'code') {
    return (
      <code key={at} className="rounded bg-sunken px-1 font-mono text-sm">
        {part.text}
      </code>
    )
  }
  if (part.kind === 'link') {
    return (
      <a
        key={at}
        href={part.href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="link"
      >
        {part.text}
      </a>
    )
  }
  return <Fragment key={at}>{part.text}</Fragment>
}
