import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { freePort } from '../free-port.ts'

/** A server that speaks Redis' protocol. `stop` and `start` on the same port, with memory lost. */
export type RedisServer = {
  name: string
  url: string
  start(): Promise<void>
  stop(): Promise<void>
}

/** The stand-in, and the real one too where this machine has it. */
export async function redisServers(): Promise<RedisServer[]> {
  const real = ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  )
  const servers = [await standIn()]
  if (real !== undefined) servers.push(await realServer(real))
  return servers
}

async function realServer(command: string): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    name: command,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      child = spawn(command, ['--port', String(port), '--save', '', '--bind', '127.0.0.1'])
      for await (const line of child.stdout!) if (/ready to accept/i.test(String(line))) break
      child.stdout!.resume()
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = undefined
    },
  }
  await server.start()
  return server
}

/** The handful of commands that the counter uses, with their true meaning. */
async function standIn(): Promise<RedisServer> {
  const port = await freePort()
  let values = new Map<string, { value: number; expiresMs: number }>()
  let server = createServer()
  const sockets = new Set<Socket>()

  const alive = (key: string) => {
    const entry = values.get(key)
    return entry !== undefined && entry.expiresMs > Date.now() ? entry : undefined
  }
  const add = (key: string, by: number) => {
    const entry = alive(key) ?? { value: 0, expiresMs: Infinity }
    entry.value += by
    values.set(key, entry)
    return `:${entry.value}\r\n`
  }
  const answer = ([command = '', key = '', argument = '']: string[]): string => {
    switch (command.toUpperCase()) {
      case 'PING':
        return '+PONG\r\n'
      case 'CLIENT':
        return '+OK\r\n'
      case 'INCR':
        return add(key, 1)
      case 'DECR':
        return add(key, -1)
      case 'PEXPIRE': {
        const entry = alive(key)
        if (entry !== undefined) entry.expiresMs = Date.now() + Number(argument)
        return `:${entry === undefined ? 0 : 1}\r\n`
      }
      case 'GET': {
        const text = alive(key)?.value.toString()
        return text === undefined ? '$-1\r\n' : `$${text.length}\r\n${text}\r\n`
      }
      default:
        return `-ERR unknown command '${command}'\r\n`
    }
  }
  const serve = (socket: Socket) => {
    sockets.add(socket)
    let rest = ''
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      const [commands, left] = readCommands(rest + chunk.toString('latin1'))
      rest = left
      for (const command of commands) socket.write(answer(command))
    })
  }
  const self: RedisServer = {
    name: 'stand-in',
    url: `redis://127.0.0.1:${port}`,
    async start() {
      values = new Map()
      server = createServer(serve)
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    async stop() {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
  await self.start()
  return self
}

/** Arrays of bulk strings, which is all that clients send. */
function readCommands(text: string): [string[][], string] {
  const commands: string[][] = []
  let at = 0
  for (;;) {
    const head = /^\*(\d+)\r\n/.exec(text.slice(at, at + 20))
    if (head === null) return [commands, text.slice(at)]
    let next = at + head[0].length
    const parts: string[] = []
    for (let i = 0; i < Number(head[1]); i++) {
      const bulk = /^\$(\d+)\r\n/.exec(text.slice(next, next + 20))
      if (bulk === null || next + bulk[0].length + Number(bulk[1]) + 2 > text.length) {
        return [commands, text.slice(at)]
      }
      next += bulk[0].length
      parts.push(text.slice(next, next + Number(bulk[1])))
      next += Number(bulk[1]) + 2
    }
    commands.push(parts)
    at = next
  }
}
