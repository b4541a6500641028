import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type GithubPeer = {
  url: string
  user: { id: number; login: string; name: string | null; avatar_url: string }
  emails: { email: string; primary: boolean; verified: boolean; visibility: string | null }[]
  /** The query of the last visit to the authorization page. */
  lastQuery: URLSearchParams
  down: boolean
  close(): Promise<void>
}

type Answer = { status: number; headers?: Record<string, string>; body: unknown }

/** Speaks GitHub's wire format: OAuth 2 with PKCE, refusals with status 200, a REST profile. */
export async function startGithub(client: { id: string; secret: string }): Promise<GithubPeer> {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const tokens = new Set<string>()
  const peer: GithubPeer = {
    url: '',
    user: { id: 583_231, login: 'asha', name: 'Asha Juma', avatar_url: 'https://a.example/1.png' },
    emails: [],
    lastQuery: new URLSearchParams(),
    down: false,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }

  const authorize = (query: URLSearchParams): Answer => {
    peer.lastQuery = query
    const code = randomUUID().replaceAll('-', '').slice(0, 20)
    const redirectUri = query.get('redirect_uri')!
    codes.set(code, { challenge: query.get('code_challenge')!, redirectUri })
    const location = `${redirectUri}?code=${code}&state=${encodeURIComponent(query.get('state')!)}`
    return { status: 302, headers: { location }, body: '' }
  }
  const exchange = (form: URLSearchParams): Answer => {
    const grant = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret) {
      return { status: 200, body: { error: 'incorrect_client_credentials' } }
    }
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return { status: 200, body: { error: 'bad_verification_code', error_description: 'no' } }
    }
    const token = `gho_${randomUUID()}`
    tokens.add(token)
    return {
      status: 200,
      body: { access_token: token, scope: 'read:user,user:email', token_type: 'bearer' },
    }
  }
  const profile = (request: IncomingMessage): Answer => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    if (!request.headers['user-agent']) return { status: 403, body: { message: 'No user agent' } }
    if (!tokens.has(token)) return { status: 401, body: { message: 'Bad credentials' } }
    return { status: 200, body: request.url === '/user' ? peer.user : peer.emails }
  }

  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request) raw += String(chunk)
    const url = new URL(request.url!, peer.url)
    const { status, headers, body } = peer.down
      ? { status: 503, headers: {}, body: 'Unicorn!' }
      : url.pathname === '/login/oauth/authorize'
        ? authorize(url.searchParams)
        : url.pathname === '/login/oauth/access_token'
          ? exchange(new URLSearchParams(raw))
          : profile(request)
    const type = { 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return peer
}
