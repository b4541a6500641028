import type { Page, Request } from 'playwright-core'

export type Watch = {
  problems: string[]
  bytes: Map<string, number>
  /** Requests without an answer yet. */
  pending: Set<Request>
}

/** Notes what a page must never do: errors, violations of its policy, requests to other hosts. */
export async function watch(page: Page, origin: string): Promise<Watch> {
  const problems: string[] = []
  const bytes = new Map<string, number>()
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // A call that was refused is an answer like others; the browser notes each as an error.
    if (message.text().startsWith('Failed to load resource')) return
    problems.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (asked !== origin && !['data:', 'blob:'].includes(protocol)) {
      problems.push(`foreign request: ${request.url()}`)
    }
  })
  const pending = new Set<Request>()
  page.on('request', (request) => pending.add(request))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname
    if (response.status() >= 500) problems.push(`${response.status()}: ${path}`)
    void response
      .request()
      .sizes()
      .then((sizes) => bytes.set(path, sizes.responseBodySize))
      .catch(() => {})
  })
  await page.addInitScript({ content: SAY_VIOLATIONS })
  return { problems, bytes, pending }
}

/** Runs in the page. */
const SAY_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`
