export type ServerShape = {
  major: number
  connections: number
  socketFolder: string
  /** `/dev/shm` is there and can be written. */
  sharedMemory: boolean
}

/** Every worker's pool and listener, and a few for the operator's commands and a backup. */
export function connectionsFor(pool: number, workers: number): number {
  return workers * (pool + 2) + 15
}

/**
 * Small, and safe against a power cut. Given on the command line at each start, so that a new
 * release or another DATABASE_POOL needs no change of a file inside the data.
 */
export function serverSettings(shape: ServerShape): Record<string, string> {
  return {
    // Reached through a folder that only the service and the server can enter; no network.
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: quotedFolder(shape.socketFolder),
    unix_socket_permissions: '0700',
    max_connections: String(shape.connections),

    // An answered payment is on the disk.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // Enough for an online backup, which copies files and needs no sender.
    wal_level: 'replica',
    max_wal_senders: '0',
    max_replication_slots: '4',
    max_wal_size: '512MB',
    min_wal_size: '64MB',

    // A machine of 1 GB: no helper processes beyond the necessary ones.
    shared_buffers: '32MB',
    maintenance_work_mem: '16MB',
    huge_pages: 'off',
    max_worker_processes: '1',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    max_logical_replication_workers: '0',
    autovacuum: 'on',
    autovacuum_max_workers: '2',
    dynamic_shared_memory_type: shape.sharedMemory ? 'posix' : 'mmap',
    ...(shape.major >= 18 ? { io_method: 'sync', autovacuum_worker_slots: '2' } : {}),

    // No statement's error and no detail of a row: those reach the caller, not the log.
    log_destination: 'stderr',
    logging_collector: 'off',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_line_prefix: '',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
}

export function asArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * The collation must not change with the system's libraries, or indexes would rot in silence: 17
 * and later bring their own, before that there is plain byte order.
 */
export function initdbArguments(major: number, folder: string): string[] {
  const own = major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []
  const access = ['--auth-local=trust', '--auth-host=reject']
  const data = ['-D', folder, '-U', USER, '-E', 'UTF8', '--locale=C', '--data-checksums']
  return [...data, ...access, ...own]
}

/** Owns the tables, makes them and makes backups. The service itself works as the second one. */
const USER = 'mlango'
export const SERVICE_USER = 'mlango_service'
const DATABASE = 'postgres'

export function urlsFor(socketFolder: string): { url: string; serviceUrl: string } {
  const of = (user: string) =>
    `postgresql://${user}@localhost/${DATABASE}?host=${encodeURIComponent(socketFolder)}`
  return { url: of(USER), serviceUrl: of(SERVICE_USER) }
}

/** The setting is a list with commas, in which a name in quotes is taken as it is. */
function quotedFolder(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}
