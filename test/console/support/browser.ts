import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { atEndOfFile } from '../../support/end-of-file.ts'

let shared: Promise<Browser> | undefined

/** One browser for all files that run in this process. */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser().then(closeWithProcess))
}

function closeWithProcess(browser: Browser): Browser {
  const close = () => browser.close()
  // A worker of `npm test` goes on with the next file; a file that runs by itself is the last.
  if (process.connected) process.once('disconnect', () => void close())
  else atEndOfFile(close)
  return browser
}

/** A browser from npm, so that nothing has to be installed; on other machines the system's. */
export async function launchBrowser(): Promise<Browser> {
  if (process.platform === 'linux' && process.arch === 'x64') return launchOwn()
  const system = SYSTEM.find((path) => existsSync(path))
  if (system !== undefined) return chromium.launch({ executablePath: system, args: ARGS })
  throw new Error(`The tests of the console need Chromium here: ${SYSTEM.join(' or ')}.`)
}

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
// No sandbox: tests run as root in containers too, and open nothing but our own pages.
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // A microphone that hums, and a reader who allows it.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
]

async function launchOwn(): Promise<Browser> {
  const folder = await unpacked()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGS,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      LANG: 'C.UTF-8',
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  })
}

/** Unpacked once for each version; whoever comes second to the rename uses the first one's. */
async function unpacked(): Promise<string> {
  const bin = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../bin')
  const manifest = JSON.parse(readFileSync(join(bin, '../package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(tmpdir(), `mlango-browser-${manifest.version}`)
  if (existsSync(folder)) return folder
  const work = mkdtempSync(join(tmpdir(), 'mlango-browser-'))
  const script = join(import.meta.dirname, '../children/unpack-browser.ts')
  await promisify(execFile)(process.execPath, [script, bin], {
    env: { ...process.env, TMPDIR: work },
  })
  mkdirSync(join(work, 'font-cache'))
  writeFileSync(join(work, 'fonts.conf'), fontsConf(folder))
  try {
    renameSync(work, folder)
  } catch {
    rmSync(work, { recursive: true, force: true })
  }
  return folder
}

/** The same letters on every machine. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>
`
}
