import { renderToString } from 'react-dom/server'
import { App } from './app.tsx'
import { newQueryClient } from './client/use-ask.ts'
import { appPages } from './pages/app-pages.ts'
import type { Page } from './pages/page.tsx'
import { notFoundPage, publicPages } from './pages/public-pages.ts'
import type { Prerender } from './prerendered.ts'
import type { Language } from './words/language.tsx'

/** The HTML of every public page in both languages, and the empty frame of the account's pages. */
export const prerender: Prerender = async (manifest) => {
  const written: Record<string, string> = {}
  for (const page of [...publicPages, notFoundPage]) {
    await page.preload()
    for (const language of ['sw', 'en'] as const) {
      const app = <App language={language} client={newQueryClient()} path={page.path} />
      written[`${page.path} ${language}`] = htmlOf(renderToString(app), {
        page,
        language,
        manifest,
      })
    }
  }
  for (const language of ['sw', 'en'] as const) {
    written[`/app ${language}`] = htmlOf('', { page: appPages[0]!, language, manifest })
  }
  return written
}

type HtmlParts = { page: Page; language: Language; manifest: Parameters<Prerender>[0] }

function htmlOf(body: string, { page, language, manifest }: HtmlParts): string {
  const main = manifest['src/main.tsx']!
  const style =
    Object.values(manifest).find(({ file }) => file.endsWith('.css'))?.file ?? main.css?.[0]
  const own = page.path === '/app' ? undefined : manifest[page.source]
  const scripts = [...(main.imports ?? []), ...(own?.imports ?? [])].map(
    (key) => manifest[key]!.file,
  )
  const preloads = new Set(
    [...scripts, own?.file ?? ''].filter((file) => file !== '' && file !== main.file),
  )
  const title = page.path === '/' ? page.title[language] : `${page.title[language]} · Mlango`
  const description = page.description?.[language]
  return `<!doctype html>
<html lang="${language}" data-theme="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
${description ? `<meta name="description" content="${escape(description)}">` : '<meta name="robots" content="noindex">'}
<meta name="theme-color" content="#0b6b4f">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/${style}">
<script type="module" src="/${main.file}"></script>
${[...preloads].map((file) => `<link rel="modulepreload" href="/${file}">`).join('\n')}
</head>
<body><div id="root">${body}</div></body>
</html>
`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
