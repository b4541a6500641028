/** Drawn on a grid of 24, in the colour of the text around them. */
const PATHS = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  spark: 'M12 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2zM19 16l1 2 2 1-2 1-1 2-1-2-2-1 2-1z',
  key: 'M15.500 4a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM12.300 11.700L4 20M6.500 17.500l2.500 2.500',
  bars: 'M5 20V11M12 20V4M19 20v-6M3 20h18',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14a6.500 6.500 0 0 1 4 6',
  wallet:
    'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zm0 0a2 2 0 0 1 2-2h10v2M16 13.500h.01',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4',
  gear: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  mic: 'M12 4a2.500 2.500 0 0 1 2.500 2.500v5a2.500 2.500 0 0 1-5 0v-5A2.500 2.500 0 0 1 12 4zM6 11a6 6 0 0 0 12 0M12 17v4',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15.500 9h.01',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  video: 'M4 6h11v12H4zM15 10l5-3v10l-5-3',
  phone: 'M8 3h8v18H8zM11 18h2',
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
  plus: 'M12 5v14M5 12h14',
  stop: 'M7 7h10v10H7z',
  play: 'M8 5l11 7-11 7z',
  send: 'M4 12l16-8-6 16-3-7z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
