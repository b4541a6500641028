import { atEndOfFile } from './end-of-file.ts'
import { startReplica, type Replica } from './replica.ts'

/** The whole service, ended at the latest after the file's tests: if one fails, nothing waits for it. */
export async function startService(env: Record<string, string>): Promise<Replica> {
  const service = await startReplica(env)
  atEndOfFile(() => service.kill('SIGKILL'))
  return service
}
