import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Sms = { to: string; text: string; headers: IncomingMessage['headers']; raw: string }

export type SmsPeer = {
  url: string
  messages: Sms[]
  /** `code` is the provider's own code for the next messages; `status` the HTTP one. */
  mood: { code?: number; status?: number; delayMs?: number }
  close(): Promise<void>
}

/** Speaks Beem's wire format: JSON in, `{successful, code, …}` out, Basic credentials. */
export function startBeem(credentials: { apiKey: string; secretKey: string }): Promise<SmsPeer> {
  const basic = `Basic ${Buffer.from(`${credentials.apiKey}:${credentials.secretKey}`).toString('base64')}`
  const balance: Reply = (_raw, headers) =>
    headers.authorization === basic
      ? { status: 200, json: { data: { credit_balance: 1_250 } } }
      : { status: 401, json: { data: { code: 120, message: 'Invalid api_key' } } }
  return startPeer('/v1/send', ['/public/v1/vendors/balance', balance], (raw, headers, peer) => {
    if (headers.authorization !== basic) {
      return { status: 401, json: { data: { code: 120, message: 'Invalid api_key' } } }
    }
    const body = JSON.parse(raw) as {
      source_addr: string
      message: string
      recipients: { recipient_id: number; dest_addr: string }[]
    }
    const code = peer.mood.code ?? 100
    const to = body.recipients[0]!.dest_addr
    if (code !== 100) {
      return { status: peer.mood.status ?? 400, json: { data: { code, message: 'Refused' } } }
    }
    peer.messages.push({ to, text: body.message, headers, raw })
    const message = 'Message Submitted Successfully'
    const counts = { valid: 1, invalid: 0, duplicates: 0 }
    return { status: 200, json: { successful: true, request_id: 7, code, message, ...counts } }
  })
}

/** Speaks Africa's Talking's: a form in, 201 with a status per recipient out, an `apiKey` header. */
export function startAfricasTalking(credentials: { apiKey: string }): Promise<SmsPeer> {
  const user: Reply = (_raw, headers) =>
    headers.apikey === credentials.apiKey
      ? { status: 200, json: { UserData: { balance: 'TZS 9000.00' } } }
      : { status: 401, json: 'The supplied authentication is invalid' }
  return startPeer('/version1/messaging', ['/version1/user', user], (raw, headers, peer) => {
    if (headers.apikey !== credentials.apiKey) {
      return { status: 401, json: 'The supplied authentication is invalid' }
    }
    const form = new URLSearchParams(raw)
    const statusCode = peer.mood.code ?? 101
    const number = form.get('to')!
    if (statusCode <= 102) {
      peer.messages.push({ to: number, text: form.get('message')!, headers, raw })
    }
    const status = statusCode <= 102 ? 'Success' : 'Refused'
    const recipient = { statusCode, number, status, cost: 'TZS 22.0', messageId: 'ATXid_1' }
    return {
      status: peer.mood.status ?? 201,
      json: { SMSMessageData: { Message: 'Sent to 1/1', Recipients: [recipient] } },
    }
  })
}

type Answer = { status: number; json: unknown }
type Reply = (raw: string, headers: IncomingMessage['headers'], peer: SmsPeer) => Answer

async function startPeer(
  path: string,
  [balancePath, balance]: [string, Reply],
  reply: Reply,
): Promise<SmsPeer> {
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const peer: SmsPeer = {
    url: '',
    messages: [],
    mood: {},
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let raw = ''
    for await (const chunk of request) raw += String(chunk)
    if (peer.mood.delayMs) await new Promise((wake) => setTimeout(wake, peer.mood.delayMs))
    const asked = `${request.method} ${request.url?.split('?')[0]}`
    const known = { [`POST ${path}`]: reply, [`GET ${balancePath}`]: balance }[asked]
    const { status, json } = known?.(raw, request.headers, peer) ?? {
      status: 404,
      json: 'Not found',
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return peer
}
