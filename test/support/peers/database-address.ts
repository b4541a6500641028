import { join } from 'node:path'

export type Address = { path: string } | { host: string; port: number }

/** Where a driver connects to: to a socket in the folder `?host=`, else to a port. */
export function addressIn(url: string): Address {
  const { hostname, port, searchParams } = new URL(url)
  const folder = searchParams.get('host')
  if (folder !== null) return { path: join(folder, '.s.PGSQL.5432') }
  return { host: hostname, port: Number(port) }
}

/** The same database through a port of this machine. */
export function throughPort(url: string, port: number): string {
  const moved = new URL(url)
  moved.searchParams.delete('host')
  moved.host = `127.0.0.1:${port}`
  return moved.href
}
