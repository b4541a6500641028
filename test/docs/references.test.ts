import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = new URL('../../', import.meta.url).pathname
const PAGES = ['*.md', 'docs/**/*.md', 'src/**/*.md', 'console/*.md', 'console/src/**/*.md']
/** What was is told there, with its names. */
const PAST = 'docs/history/'

const pages = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .sort()
  .map((page) => ({ page, text: readFileSync(join(ROOT, page), 'utf8') }))

test('every link between pages leads to a page and a heading that are there', () => {
  assert.ok(pages.length > 20)
  const broken = pages.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

function leadsSomewhere(page: string, link: string): boolean {
  const [path, heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path!)
  if (!existsSync(join(ROOT, target))) return false
  if (heading === undefined) return true
  const headings = readFileSync(join(ROOT, target), 'utf8').matchAll(/^#+ (.*)$/gm)
  return [...headings].some(([, words]) => anchorOf(words!) === heading)
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

test('every file that a page names is there', () => {
  const gone = pages
    .filter(({ page }) => !page.startsWith(PAST))
    .flatMap(({ page, text }) =>
      [...text.matchAll(/`([a-z][\w./-]*\.(?:ts|tsx|mjs|sql|c|yml|yaml))`/g)]
        .map(([, name]) => name!)
        .filter((name) => !isThere(page, name))
        .map((name) => `${page}: ${name}`),
    )
  assert.deepEqual(gone, [])
})

/** From the root, from `src`, from the page's own folder, or by its name alone. */
function isThere(page: string, name: string): boolean {
  const places = [name, join('src', name), join('console/src', name), join(dirname(page), name)]
  if (places.some((place) => existsSync(join(ROOT, place)))) return true
  return !name.includes('/') && names.has(name)
}

const names = new Set(
  ['bin', 'src', 'console', 'test', 'bench', 'deploy'].flatMap((folder) =>
    globSync('**/*.*', { cwd: join(ROOT, folder), exclude: (path) => path === 'node_modules' }).map(
      (path) => path.split('/').at(-1)!,
    ),
  ),
)

test('the page about settings has every setting, and no other', () => {
  const source = readFileSync(join(ROOT, 'src/config.ts'), 'utf8')
  const settings = [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
  assert.ok(settings.length > 80)
  const { text } = pages.find(({ page }) => page === 'docs/settings.md')!
  const rows = text.matchAll(/^\| (`[A-Z][^|]*) \|/gm)
  const told = [...rows].flatMap(([, cell]) => cell!.match(/[A-Z][A-Z0-9_]+/g)!)
  assert.deepEqual(told.sort(), settings.sort())
})
