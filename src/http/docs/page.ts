import { createHash } from 'node:crypto'
import { gettingStarted } from './getting-started.ts'
import { escape, fieldTable } from './fields.ts'
import { docsStyle } from './style.ts'
import { replyOf, type OpenApi, type Operation, type Schema } from './openapi-document.ts'

export const docsStyleHash = `sha256-${createHash('sha256').update(docsStyle).digest('base64')}`

type Entry = { method: string; path: string; operation: Operation }

/** The API reference as one page: it works on a phone, without scripts and without the internet. */
export function docsPage(document: OpenApi): string {
  const groups = Map.groupBy(entriesOf(document), (entry) => entry.operation.tags[0] ?? 'Other')
  const [server] = document.servers
  // `/` is wherever this page was read: nobody has said where that is.
  const publicUrl = server?.url === '/' ? undefined : server?.url
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)} API reference</title>
<style>${docsStyle}</style>
</head>
<body>
<a class="skip" href="#getting-started">Skip to the content</a>
<nav class="site" aria-label="Site"><a href="/">Mlango</a> <a href="/models">Models and prices</a>
<a href="/guides">Guides</a> <a href="/status">Status</a></nav>
<header>
<h1>${escape(document.info.title)} API reference</h1>
<p>${escape(document.info.description ?? '')} This reference is also available as an
<a href="/v1/openapi.json">OpenAPI 3.1 document</a>.</p>
</header>
<nav aria-label="Contents"><ul>
<li><a href="#getting-started">Getting started</a></li>
${[...groups].map(([tag, entries]) => contents(tag, entries)).join('\n')}
</ul></nav>
<main>
${gettingStarted(publicUrl ?? 'http://127.0.0.1:8080', publicUrl === undefined)}
${[...groups].map(([tag, entries]) => section(tag, entries, document)).join('\n')}
</main>
</body>
</html>
`
}

function entriesOf(document: OpenApi): Entry[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

function anchor({ method, path }: Entry): string {
  return `${method}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

function contents(tag: string, entries: Entry[]): string {
  const links = entries.map(
    (entry) => `<li><a href="#${anchor(entry)}">${entry.method} ${escape(entry.path)}</a></li>`,
  )
  return `<li><details><summary>${escape(tag)}</summary><ul>${links.join('')}</ul></details></li>`
}

function section(tag: string, entries: Entry[], document: OpenApi): string {
  const articles = entries.map((entry) => article(entry, document))
  return `<section><h2>${escape(tag)}</h2>${articles.join('\n')}</section>`
}

function article(entry: Entry, document: OpenApi): string {
  const { operation } = entry
  const { schemas } = document.components
  return `<article id="${anchor(entry)}">
<h3><span class="method">${entry.method}</span> <code>${escape(entry.path)}</code></h3>
<p>${escape(about(operation))} <span class="credential">${credential(operation)}</span></p>
${parameters(operation, schemas)}${requestBody(operation, schemas)}${answers(operation, document)}
</article>`
}

function about({ summary, description }: Operation): string {
  const rest = description === summary ? '' : ` ${description}`
  return `${summary.replace(/\.$/, '')}.${rest}`
}

function credential({ security }: Operation): string {
  const names = security.flatMap((one) => Object.keys(one))
  if (names.length === 0) return 'No credential needed.'
  return `Needs an ${names.map((name) => (name === 'apiKey' ? 'API key' : 'access token')).join(' or ')}.`
}

function parameters({ parameters = [] }: Operation, schemas: Record<string, Schema>): string {
  if (parameters.length === 0) return ''
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  const required = parameters.filter((one) => one.required === true).map((one) => one.name)
  return `<h4>Parameters</h4>${fieldTable({ properties, required }, schemas)}`
}

function requestBody({ requestBody }: Operation, schemas: Record<string, Schema>): string {
  if (requestBody === undefined) return ''
  return Object.entries(requestBody.content)
    .map(
      ([type, { schema }]) =>
        `<h4>Request body, ${escape(type)}</h4>${fieldTable(schema, schemas)}`,
    )
    .join('')
}

function answers({ responses }: Operation, document: OpenApi): string {
  const { schemas } = document.components
  const all = Object.entries(responses).map(
    ([status, reply]) => [Number(status), replyOf(document, reply)] as const,
  )
  const good = all
    .filter(([status]) => status < 400)
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(
        ([type, { schema }]) =>
          `<h4>Response ${status}, ${escape(type)}</h4>${fieldTable(schema, schemas)}`,
      ),
    )
  const bad = all
    .filter(([status]) => status >= 400)
    .map(([status, { description }]) => `<li><b>${status}</b> ${escape(description)}</li>`)
  return `${good.join('')}<details><summary>Errors</summary><ul>${bad.join('')}</ul></details>`
}
