import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { Agent } from 'undici'
import './live-memory.ts'

/** A pass-through proxy with the same HTTP server and client as the service, and nothing else. */
const origin = process.argv[2]!
const agent = new Agent({ connections: 512 })
const server = fastify()
server.removeAllContentTypeParsers()
server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

server.post('/v1/chat/completions', async (request, reply) => {
  const answer = await agent.request({
    origin,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: {
      'content-type': request.headers['content-type']!,
      authorization: request.headers.authorization!,
    },
    body: request.body as Buffer,
  })
  reply.code(answer.statusCode)
  reply.header('content-type', answer.headers['content-type'])
  const length = answer.headers['content-length']
  if (length !== undefined) reply.header('content-length', length)
  return reply.send(answer.body)
})

await server.listen({ host: '127.0.0.1', port: 0, backlog: 2048 })
console.log((server.server.address() as AddressInfo).port)
