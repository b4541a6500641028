type Bar = { key: string; label: string; value: number; shown: string }

/** A bar chart, with a table of the same numbers for screen readers. */
export function Bars({
  caption,
  bars,
  unit,
}: {
  caption: string
  bars: readonly Bar[]
  unit: string
}) {
  const most = Math.max(...bars.map((bar) => bar.value), 0)
  const least = Math.min(...bars.map((bar) => bar.value), 0)
  const scale = most === least ? 0 : 100 / (most - least)
  const step = 100 / Math.max(1, bars.length)
  const zero = most === least ? 100 : most * scale
  const height = (value: number) => (value === 0 ? 0 : Math.max(2, Math.abs(value) * scale))
  return (
    <figure className="flex flex-col gap-2">
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="h-32 w-full"
      >
        {bars.map((bar, at) => (
          <g key={bar.key} className="group">
            <title>{`${bar.label}: ${bar.shown}`}</title>
            <rect x={at * step} y="0" width={step} height="100" className="fill-transparent" />
            <rect
              x={at * step + step * 0.14}
              y={bar.value < 0 ? zero : zero - height(bar.value)}
              width={step * 0.72}
              height={height(bar.value)}
              className={`${bar.value < 0 ? 'fill-danger' : 'fill-green'} group-hover:fill-gold`}
            />
            <rect
              x={at * step + step * 0.14}
              y={Math.min(99, zero)}
              width={step * 0.72}
              height="1"
              className="fill-line"
            />
          </g>
        ))}
      </svg>
      {bars.length > 0 && (
        <div aria-hidden="true" className="figures flex justify-between text-sm text-soft">
          <span>{bars[0]!.label}</span>
          <span>{bars.at(-1)!.label}</span>
        </div>
      )}
      {/* A table cannot be cut off: it would lengthen the page. */}
      <div className="sr-only">
        <table>
          <caption>{caption}</caption>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.key}>
                <th scope="row">{bar.label}</th>
                <td>
                  {bar.shown} {unit}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
