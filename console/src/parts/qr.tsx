import { qrSquares } from './qr-squares.ts'

/** A QR code as drawn squares. The label says what it holds. */
export function QR({ text, label }: { text: string; label: string }) {
  const { path, size } = qrSquares(text)
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
