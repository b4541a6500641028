import { useId, useState, type KeyboardEvent } from 'react'
import { Copy } from './copy.tsx'

export type SampleTab = { name: string; code: string }

/** Code in tabs, such as curl, Python and JavaScript; the arrow keys move between them. */
export function Sample({ label, tabs }: { label: string; tabs: SampleTab[] }) {
  const [at, setAt] = useState(0)
  const id = useId()
  const shown = tabs[at] ?? tabs[0]!
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = (at + step + tabs.length) % tabs.length
    setAt(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div className="overflow-hidden rounded-md border border-line bg-[#101814] text-[#e6eee7]">
      <div className="flex items-center justify-between gap-1 border-b border-[#2b362f] pr-1">
        <div role="tablist" tabIndex={-1} aria-label={label} className="flex" onKeyDown={move}>
          {tabs.map((tab, index) => (
            <button
              key={tab.name}
              id={`${id}-${index}`}
              type="button"
              role="tab"
              aria-selected={index === at}
              aria-controls={`${id}-panel`}
              tabIndex={index === at ? 0 : -1}
              onClick={() => setAt(index)}
              className="min-h-12 border-b-2 border-transparent px-3 text-sm sm:px-4 text-[#a9b6ab] -outline-offset-4 aria-selected:border-[#5ccb9f] aria-selected:text-white"
            >
              {tab.name}
            </button>
          ))}
        </div>
        <Copy text={shown.code} small />
      </div>
      <pre
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${at}`}
        // A keyboard must be able to scroll it.
        tabIndex={0}
        className="overflow-x-auto p-4 font-mono text-sm leading-relaxed -outline-offset-4"
      >
        <code>{shown.code}</code>
      </pre>
    </div>
  )
}
