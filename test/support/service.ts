import { after } from 'node:test'
import { startReplica, type Replica } from './replica.ts'

/** The whole service, ended at the latest after the file's tests: if one fails, nothing waits for it. */
export async function startService(env: Record<string, string>): Promise<Replica> {
  const service = await startReplica(env)
  running.push(service)
  return service
}

const running: Replica[] = []
after(() => running.forEach((service) => service.kill('SIGKILL')))
