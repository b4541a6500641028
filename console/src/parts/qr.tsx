import { encode } from 'uqr'

/** A QR code as drawn squares. The label says what it holds. */
export function QR({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="w-52 max-w-full rounded-sm bg-white"
    >
      <path d={path} fill="#17211b" />
    </svg>
  )
}
