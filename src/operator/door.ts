import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { House } from '../house.ts'
import { runCommand } from './commands.ts'
import type { Print } from './print.ts'

/**
 * The embedded database has room for one process. So a running service takes the operator's
 * commands through a socket in its data folder, which only the folder's owner can open. One line
 * of arguments in; lines of output back, and at last the exit code.
 */
export async function openOperatorDoor(house: House): Promise<{ close(): Promise<void> }> {
  const path = doorOf(house.config.DATA_DIR)
  // Left by a process that was killed; the folder's lock says that no other one lives.
  await rm(path, { force: true })
  const server = createServer((socket) => void answer(socket, house))
  await new Promise<void>((opened, failed) => {
    server.once('error', failed)
    server.listen(path, opened)
  })
  await chmod(path, 0o600)
  return { close: () => new Promise((closed) => server.close(() => closed())) }
}

/** Undefined when no service listens there. */
export async function askThroughDoor(
  dataDir: string,
  args: string[],
  print: Print,
): Promise<number | undefined> {
  const socket = connect(doorOf(dataDir))
  const opened = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
  if (!opened) return undefined
  socket.write(`${JSON.stringify(args)}\n`)
  for await (const line of createInterface({ input: socket })) {
    const reply = JSON.parse(line) as { line: string } | { code: number }
    if ('code' in reply) return reply.code
    print(reply.line)
  }
  throw new Error('The service went away before the command had ended.')
}

function doorOf(dataDir: string): string {
  return join(dataDir, 'operator.sock')
}

async function answer(socket: Socket, house: House): Promise<void> {
  // The operator pressed Ctrl-C: the command runs to its end, nobody listens.
  socket.on('error', () => {})
  const send = (reply: object) => void socket.write(`${JSON.stringify(reply)}\n`)
  for await (const line of createInterface({ input: socket })) {
    const code = await runCommand(JSON.parse(line) as string[], house, (text) =>
      send({ line: text }),
    )
    send({ code })
    socket.end()
    return
  }
}
