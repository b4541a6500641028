import type { Answer } from '../../lib/answer.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { SSE_HEADERS } from '../chat/stream.ts'
import { createResponse, prepareResponse } from './create.ts'
import type { ResponseCall, Responses } from './responses.ts'
import { Lanes } from './lanes.ts'
import type { ResponsesBody } from './request/body.ts'
import { KeptConversations } from './stored/kept.ts'

type CreateMessage = ResponsesBody & {
  type: 'response.create'
  stream_id?: string | null | undefined
  generate?: boolean | null | undefined
}

type CancelMessage = {
  type: 'response.cancel'
  stream_id?: string | null | undefined
  response_id?: string | null | undefined
}

/** What a client says on a connection. */
export type ResponsesMessage = CreateMessage | CancelMessage

/** The connection: `leave` lets go of a call, `hold` counts memory. */
type Peer = { leave(requestId: string): void; hold(bytes: number): boolean }

/** The responses of one connection. */
export class ResponsesSocket {
  readonly #responses: Responses
  readonly #peer: Peer
  readonly #lanes = new Lanes()
  readonly #conversations: KeptConversations

  constructor(responses: Responses, peer: Peer) {
    this.#responses = responses
    this.#peer = peer
    this.#conversations = new KeptConversations((bytes) => peer.hold(bytes))
  }

  take(call: ResponseCall, message: ResponsesMessage): Promise<Answer> {
    return message.type === 'response.cancel' ? this.#cancel(message) : this.#create(call, message)
  }

  async #create(call: ResponseCall, message: CreateMessage): Promise<Answer> {
    const { stream_id, generate, type: _type, ...body } = message
    if (body.background) throw invalidField('background', 'is not for a WebSocket: use POST')
    const { requestId, signal } = call
    const stream = stream_id ?? ''
    const seed = randomBase62(24)
    const place = { conversations: this.#conversations, stream, seed }
    const make = generate === false ? prepareResponse : createResponse
    const about = { requestId, responseId: `resp_${seed}`, signal }
    const work = () => make(this.#responses, call, { ...body, stream: true }, { place })
    return this.#lanes.run(stream, about, async () => {
      const failed = () => this.#conversations.drop(body.previous_response_id)
      try {
        const answer = await work()
        // A whole text in place of a stream is its failure.
        if (generate !== false && typeof answer.body === 'string') failed()
        return answer
      } catch (error) {
        // After a failure clients send the whole conversation again; after a cancel they need not.
        if (!signal.aborted) failed()
        throw error
      }
    })
  }

  async #cancel({ response_id, stream_id }: CancelMessage): Promise<Answer> {
    const found = this.#lanes.find(response_id ?? undefined, stream_id ?? '')
    if (found === undefined) throw notRunning(response_id ? 'response_id' : 'stream_id')
    this.#peer.leave(found.requestId)
    // The response itself is answered, once it is let go.
    return { status: 200, headers: SSE_HEADERS, body: '' }
  }
}

function notRunning(field: string): Failure {
  const message = `${field}: no response is at work there. It may have ended.`
  return new Failure('not_found', message, { param: field, code: 'response_not_active' })
}
