import { useWords } from '../../words/language.tsx'
import { statusWords } from './words.ts'

type State = 'up' | 'degraded' | 'down' | 'unknown'
export type Piece = { key: string; label: string; state: State; detail?: string | undefined }

const LOOKS: Record<State, string> = {
  up: 'fill-green',
  degraded: 'fill-warning',
  down: 'fill-danger',
  unknown: 'fill-line',
}
/** The state is shown by height too, not by colour alone. */
const HEIGHTS: Record<State, number> = { up: 100, degraded: 66, down: 33, unknown: 100 }

/** One bar for each period; incidents are listed below in words. */
export function StatusBars({ label, pieces }: { label: string; pieces: Piece[] }) {
  const words = useWords(statusWords)
  const step = 100 / Math.max(1, pieces.length)
  const gap = pieces.length > 120 ? 0 : step * 0.22
  const states = (['up', 'degraded', 'down', 'unknown'] as const).filter((state) =>
    pieces.some((piece) => piece.state === state),
  )
  const bad = pieces.filter((piece) => piece.state === 'down' || piece.state === 'degraded')
  return (
    <div className="card flex flex-col gap-2 p-4">
      <svg
        role="img"
        aria-label={summary(label, pieces, words.state)}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        className="h-14 w-full"
      >
        {pieces.map((piece, at) => (
          <rect
            key={piece.key}
            x={at * step}
            y={100 - HEIGHTS[piece.state]}
            width={step - gap}
            height={HEIGHTS[piece.state]}
            className={LOOKS[piece.state]}
          >
            <title>
              {[piece.label, words.state[piece.state], piece.detail].filter(Boolean).join(', ')}
            </title>
          </rect>
        ))}
      </svg>
      <div className="figures flex justify-between text-sm text-soft">
        <span>{pieces[0]?.label}</span>
        <span>{pieces.at(-1)?.label}</span>
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {states.map((state) => (
          <li key={state} className="flex items-center gap-2">
            <svg aria-hidden="true" viewBox="0 0 10 10" className="size-3">
              <rect width="10" height="10" rx="2" className={LOOKS[state]} />
            </svg>
            {words.state[state]}
          </li>
        ))}
      </ul>
      {bad.length > 0 && bad.length <= 10 && (
        <ul className="text-sm">
          {bad.map((piece) => (
            <li key={piece.key}>
              <strong>{piece.label}:</strong> {words.state[piece.state]}
              {piece.detail && `, ${piece.detail}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function summary(label: string, pieces: Piece[], words: Record<State, string>): string {
  const counts = Object.entries(Object.groupBy(pieces, (piece) => piece.state))
  return `${label}: ${counts.map(([state, some]) => `${words[state as State]} ${some.length}`).join(', ')}`
}
