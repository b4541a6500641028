import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHeld, tryLock } from './folder-lock.ts'
import { openHome, writing } from './home.ts'
import { readPostmaster } from './leftovers.ts'
import { urlsFor } from './settings.ts'
import { startLocked, type LocalOptions, type LocalServer } from './start.ts'
import { DatabaseError } from './database-error.ts'

export type UsedServer = Pick<LocalServer, 'url' | 'serviceUrl' | 'folder'> & {
  /** Ends the server if it was started for this command. */
  stop(): Promise<void>
}

/**
 * For the operator's commands: the server of the running service, or one for the time of the
 * command. Two commands without a service take turns.
 */
export async function useLocalServer(
  options: LocalOptions,
  patienceMs = 60_000,
): Promise<UsedServer> {
  const home = openHome(options.dataDir)
  const start = performance.now()
  for (;;) {
    const lock = await writing(home.folder, () => tryLock(home.folder, 'command'))
    if (isHeld(lock)) return startLocked(options, home, lock)
    const postmaster = readPostmaster(home.data)
    const isReady = lock.holder === 'service' && postmaster?.status === 'ready'
    if (isReady && (await answers(postmaster.socketFolder))) {
      const { socketFolder } = postmaster
      return { ...urlsFor(socketFolder), folder: home.data, stop: async () => {} }
    }
    if (performance.now() - start > patienceMs) throw noAnswer(home.folder, lock.pid)
    await sleep(100)
  }
}

/** A file of a server that was killed is still there, and refuses. */
function answers(socketFolder: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(join(socketFolder, '.s.PGSQL.5432'))
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

function noAnswer(folder: string, pid: number): DatabaseError {
  return new DatabaseError(
    `The process ${pid} holds the data folder ${folder}, but its database does not answer. Stop it and try again.`,
  )
}
