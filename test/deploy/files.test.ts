import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { START_ARGS } from '../support/replica.ts'
import { copyOf, readDockerfile } from './dockerfile.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const [build, final] = readDockerfile(read('deploy/Dockerfile'))

test('the Dockerfile copies files that exist and that .dockerignore lets in', () => {
  const allowed = read('.dockerignore')
  for (const { word, rest } of build!.instructions) {
    if (word !== 'COPY') continue
    for (const source of copyOf(rest).sources) {
      assert.ok(existsSync(join(ROOT, source)), source)
      assert.ok(allowed.includes(`!${source.split('/')[0]}\n`), `${source} in .dockerignore`)
    }
  }
})

test('the image is not root, tells its health, and starts what npm start starts', () => {
  const words = new Map(final!.instructions.map(({ word, rest }) => [word, rest]))
  assert.match(words.get('USER')!, /^[1-9]\d*:[1-9]\d*$/)
  assert.match(words.get('HEALTHCHECK')!, /\/healthz/)
  assert.deepEqual(JSON.parse(words.get('CMD')!), ['./node', ...START_ARGS])
})

test('systemd starts what npm start starts', () => {
  const [, command] = /^ExecStart=(.*)$/m.exec(read('deploy/systemd/mlango.service'))!
  assert.equal(command, `/usr/bin/node ${START_ARGS.join(' ')}`)
  assert.ok(START_ARGS.includes('src/main.ts'))
})

test('whoever stops the service waits for longer than it drains', () => {
  const seconds = (file: string, pattern: RegExp) => Number(pattern.exec(read(file))![1])
  const usual = readConfig({}).DRAIN_SECONDS
  // After the drain, handlers have five seconds to let go.
  assert.ok(seconds('deploy/systemd/mlango.service', /TimeoutStopSec=(\d+)/) > usual + 5)
  const drain = seconds('deploy/compose.yaml', /DRAIN_SECONDS: '(\d+)'/)
  assert.ok(seconds('deploy/compose.yaml', /stop_grace_period: (\d+)s/) > drain + 5)
  const grace = seconds('deploy/kubernetes/deployment.yaml', /GracePeriodSeconds: (\d+)/)
  const before = seconds('deploy/kubernetes/deployment.yaml', /sleep: \{ seconds: (\d+) \}/)
  const drains = seconds('deploy/kubernetes/kustomization.yaml', /DRAIN_SECONDS=(\d+)/)
  assert.ok(grace > before + drains + 5)
})

test('every setting in the examples is one of ours, or the key of an upstream', () => {
  const documented = read('docs/settings.md')
  const examples = [
    'deploy/systemd/mlango.env.example',
    'deploy/kubernetes/secret.env.example',
  ].flatMap((file) => [...read(file).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!))
  const compose = /environment:\n((?: {6}[A-Z_]+: .*\n)+)/.exec(read('deploy/compose.yaml'))![1]!
  const names = [
    ...examples,
    ...[...compose.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name]) => name!),
  ]
  assert.ok(names.length > 15)
  for (const name of names) {
    assert.ok(name === 'OPENROUTER_KEY' || documented.includes(`\`${name}\``), name)
  }
})

test('no file of deploy holds a secret', () => {
  for (const file of globSync('deploy/**/*', { cwd: ROOT })) {
    if (!/\.(ya?ml|example|service|json)$/.test(file)) continue
    assert.doesNotMatch(read(file), /(KEY|SECRET|PASSWORD)=\S/, file)
  }
})

test('every manifest of Kubernetes is in the list that is applied', () => {
  const listed = read('deploy/kubernetes/kustomization.yaml')
  for (const file of globSync('*.yaml', { cwd: join(ROOT, 'deploy/kubernetes') })) {
    assert.ok(file === 'kustomization.yaml' || listed.includes(`- ${file}\n`), file)
  }
})
