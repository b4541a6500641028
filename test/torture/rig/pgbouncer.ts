import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'

export type PoolMode = 'session' | 'transaction'

/**
 * PgBouncer in front of a database, with the settings of docs/scale.md. The program is `pgbouncer` in
 * PATH, or what `PGBOUNCER` names.
 */
export async function startPgBouncer(options: { url: string; mode: PoolMode; folder: string }) {
  const port = await freePort()
  const file = join(options.folder, 'pgbouncer', 'pgbouncer.ini')
  mkdirSync(join(options.folder, 'pgbouncer'))
  chmodSync(join(options.folder, 'pgbouncer'), 0o755)
  writeFileSync(file, settings(options, port))
  const program = process.env.PGBOUNCER ?? 'pgbouncer'
  // It refuses root. Whose folder the server's socket is in may enter it.
  const { uid, gid } = statSync(new URL(options.url).searchParams.get('host')!)
  const child = spawn(program, ['-q', file], { uid, gid, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  await answering(port)
  return {
    url: through(options.url, port),
    async stop() {
      child.kill('SIGINT')
      setTimeout(() => child.kill('SIGKILL'), 2_000).unref()
      await ended
    },
  }
}

function settings({ url, mode }: { url: string; mode: PoolMode }, port: number): string {
  const { username, pathname, searchParams } = new URL(url)
  const server = `host=${searchParams.get('host')} port=5432 user=${username}`
  return [
    '[databases]',
    `${pathname.slice(1)} = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'max_client_conn = 2000',
    // A client keeps its server connection in the one mode, and only borrows it in the other.
    `default_pool_size = ${mode === 'session' ? 180 : 40}`,
    'ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,jit,default_transaction_isolation',
    ...(mode === 'transaction' ? ['max_prepared_statements = 1000'] : []),
    '',
  ].join('\n')
}

function through(url: string, port: number): string {
  const moved = new URL(url)
  moved.searchParams.delete('host')
  moved.host = `127.0.0.1:${port}`
  return moved.href
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await pause(100)
  }
  throw new Error('PgBouncer does not answer.')
}
