import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { drain } from '../../src/http/drain.ts'
import { startServer } from '../support/server.ts'

test('whoever has connected before a process stops is answered', async () => {
  const { server, url } = await startServer({ routes: [] })
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 30 }, () => connect(Number(port), hostname))
  const answers = sockets.map(answerOn)
  // By then all of them wait to be accepted, which takes a turn of the event loop for each.
  await once(sockets[0]!, 'connect')
  await drain(server)
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  }
})

/** What is answered, or why nothing is. */
function answerOn(socket: Socket): Promise<string> {
  const pieces: string[] = []
  socket.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece))
  socket.on('error', ({ message }) => pieces.push(message))
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return new Promise((done) => {
    socket.on('close', () => done(pieces.join('')))
  })
}
