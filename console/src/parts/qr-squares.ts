import { encode } from 'uqr'

/** The dark squares of a QR code as a path, and how many fit side by side. */
export function qrSquares(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return { path, size }
}
