import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startTestServer } from '../support/local-server.ts'
import { addressIn } from '../support/peers/database-address.ts'
import { START_ARGS } from '../support/replica.ts'
import { faultProxy } from '../torture/rig/fault-proxy.ts'
import { copyOf, readDockerfile, type BuildStage } from './dockerfile.ts'

/**
 * `npm run deploy:replay`: the steps of the Dockerfile in clean folders, without Docker, and then a
 * start of what came out, read-only, with nothing of the checkout in reach. What it cannot show is
 * whether the base images have the libraries; those that the result asks for are listed.
 */
const ROOT = resolve(import.meta.dirname, '../..')
/** Of the image. */
const USER = 10_001
const work = mkdtempSync(join(tmpdir(), 'mlango-replay-'))
const [build, final] = readDockerfile(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))

try {
  replay(build!, ROOT, join(work, 'build'))
  const root = join(work, 'final')
  replay(final!, join(work, 'build'), root)
  report(root)
  await startIn(join(root, 'app'))
  console.log('The image would start: /readyz answered 200, and SIGTERM ended it with 0.')
} finally {
  execFileSync('chmod', ['-R', 'u+w', work])
  rmSync(work, { recursive: true, force: true })
}

function replay(stage: BuildStage, context: string, root: string): void {
  let folder = '/'
  mkdirSync(root, { recursive: true })
  for (const { word, rest } of stage.instructions) {
    console.log(`${word} ${rest}`)
    if (word === 'WORKDIR') mkdirSync(join(root, (folder = rest)), { recursive: true })
    if (word === 'COPY') copy(rest, { context, into: join(root, folder), root })
    // What touches the system of the final image is left to the image.
    if (word === 'RUN' && stage.name === 'build') run(rest, join(root, folder))
  }
}

function copy(rest: string, places: { context: string; into: string; root: string }): void {
  const { from, sources, to } = copyOf(rest)
  for (const source of sources) {
    const target = to.startsWith('/') ? join(places.root, to) : resolve(places.into, to)
    const isFolder = to.endsWith('/')
    const file = join(places.context, source)
    if (!existsSync(file)) throw new Error(`${source} is not there${from ? ` in ${from}` : ''}.`)
    cpSync(file, isFolder ? join(target, basename(source)) : target, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\/node_modules$|\/console\/built$/.test(path) || from !== undefined,
    })
  }
}

/** With no variable of the checkout's npm, which would point back at it; only the way to the network. */
function run(command: string, cwd: string): void {
  const { PATH, NODE_EXTRA_CA_CERTS, HTTPS_PROXY } = process.env
  const env = { PATH, NODE_EXTRA_CA_CERTS, HTTPS_PROXY, HOME: work }
  execFileSync('/bin/sh', ['-ec', command], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
}

function report(root: string): void {
  const size = execFileSync('du', ['-sm', join(root, 'app')], { encoding: 'utf8' }).split('\t')[0]
  console.log(`The files of the image have ${size} MB.`)
  const asked = execFileSync('ldd', [join(root, 'app/node')], { encoding: 'utf8' })
  if (asked.includes('not found')) throw new Error(asked)
  const names = asked.matchAll(/^\s*(\S+\.so\S*) =>/gm)
  console.log(`Libraries of the base image: ${[...names].map(([, name]) => name).join(' ')}`)
}

async function startIn(app: string): Promise<void> {
  execFileSync('chmod', ['-R', 'a-w', app])
  const database = await startTestServer()
  // Its socket is in a folder that only its own user may enter.
  const door = await faultProxy(addressIn(database.url))
  const data = join(work, 'data')
  mkdirSync(data)
  chmodSync(data, 0o700)
  // As the image does; somebody else than root cannot even pretend.
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: USER, gid: USER } : {}
  if (isRoot) chownSync(data, USER, USER)
  chmodSync(work, 0o711)
  const child = spawn(join(app, 'node'), START_ARGS, {
    cwd: app,
    env: {
      PORT: '18099',
      DATA_DIR: data,
      DATABASE_URL: door.in(database.url),
      MASTER_KEY: 'a master key for the replay, long enough',
      NODE_ENV: 'production',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    ...user,
  })
  const ended = once(child, 'exit')
  try {
    await ready('http://127.0.0.1:18099')
    child.kill('SIGTERM')
    const [code] = (await ended) as [number | null]
    if (code !== 0) throw new Error(`It ended with ${code}.`)
  } finally {
    child.kill('SIGKILL')
    await door.close()
    await database.stop()
  }
}

async function ready(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const status = await fetch(`${url}/readyz`).then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status === 200) {
      const page = await fetch(`${url}/`)
      if (page.status !== 200) throw new Error(`The page of the console answers ${page.status}.`)
      return
    }
    await pause(100)
  }
  throw new Error('It is not ready after a minute.')
}
