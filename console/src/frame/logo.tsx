/** An open door under an arch. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2 text-lg font-bold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-8">
        <rect width="32" height="32" rx="8" className="fill-green" />
        <path d="M8 26V14a8 8 0 0 1 16 0v12h-4V14a4 4 0 0 0-8 0v12z" className="fill-on-green" />
        <circle cx="16" cy="19" r="2" className="fill-gold" />
      </svg>
      Mlango
    </span>
  )
}

/** A band of woven diamonds, as on the edge of a kanga. */
export function Band() {
  return (
    <svg aria-hidden="true" className="h-3 w-full" preserveAspectRatio="none">
      <defs>
        <pattern id="band" width="24" height="12" patternUnits="userSpaceOnUse">
          <path d="M0 6L6 0h12l6 6-6 6H6z" className="fill-green" />
          <path d="M6 6l6-4 6 4-6 4z" className="fill-gold" />
          <path
            d="M0 0h6L0 6zM18 0h6v6zM0 12V6l6 6zM24 12h-6l6-6z"
            className="fill-ink"
            opacity=".14"
          />
        </pattern>
      </defs>
      <rect width="100%" height="12" fill="url(#band)" />
    </svg>
  )
}
