import { route, type Route } from './route.ts'

const PATH = '/.well-known/security.txt'
const LIFE_DAYS = 180

/** Where to write about a weakness (RFC 9116); only where the operator has said so. */
export function securityTxt(about: {
  contact: string | undefined
  publicUrl: string | undefined
}): Route[] {
  const { contact, publicUrl } = about
  if (contact === undefined) return []
  return [
    route({
      method: 'GET',
      credential: 'none',
      dialect: 'envelope',
      limit: 'none',
      path: PATH,
      summary: 'Read where to report a weakness',
      tag: 'Documents',
      async handle() {
        const lines = [
          `Contact: ${contact}`,
          `Expires: ${expiry(new Date())}`,
          'Preferred-Languages: sw, en',
          ...(publicUrl === undefined ? [] : [`Canonical: ${new URL(PATH, publicUrl).href}`]),
        ]
        const headers = { 'content-type': 'text/plain; charset=utf-8' }
        return { status: 200, headers, body: `${lines.join('\n')}\n` }
      },
    }),
  ]
}

/** At the end of a day, so that it changes once a day. */
function expiry(now: Date): string {
  const day = new Date(now.getTime() + LIFE_DAYS * 86_400_000).toISOString().slice(0, 10)
  return `${day}T23:59:59Z`
}
