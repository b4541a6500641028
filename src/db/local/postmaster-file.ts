/** What a running server tells about itself in its data folder, in `postmaster.pid`. */
export type Postmaster = {
  pid: number
  socketFolder: string
  status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown'
}

/** Undefined for a file that is empty or half written. */
export function parsePostmasterFile(text: string): Postmaster | undefined {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const status = STATES.find((state) => state === lines[7]?.trim()) ?? 'unknown'
  return { pid, socketFolder: lines[4] ?? '', status }
}

const STATES = ['starting', 'stopping', 'ready', 'standby'] as const
