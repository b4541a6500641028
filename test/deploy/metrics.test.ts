import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { METRICS, type MetricEntry } from '../../src/observability/catalogue.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const entries = Object.entries<MetricEntry>(METRICS)

/** What Prometheus shows of each metric; the runtime's own are those of prom-client. */
const shown = new Set([
  ...entries.flatMap(([name, { kind }]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
  'mlango_nodejs_eventloop_lag_p99_seconds',
  'mlango_process_resident_memory_bytes',
  'mlango_process_cpu_seconds_total',
])

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }

function expressions(): Map<string, string> {
  const dashboard = JSON.parse(read('deploy/grafana/mlango.json')) as Dashboard
  const found = new Map<string, string>()
  for (const { title, targets } of dashboard.panels) {
    for (const { expr } of targets ?? []) found.set(`panel ${title}: ${expr}`, expr)
  }
  const rules = read('deploy/prometheus/rules.yml')
  const alerts = rules.matchAll(/- alert: (\w+)\n\s+expr: (?:\|\n((?:\s{10,}.*\n)+)|(.*)\n)/g)
  for (const [, name, block, line] of alerts) found.set(`alert ${name}`, (block ?? line)!)
  return found
}

test('dashboard and alerts name only metrics and labels of the catalogue', () => {
  const all = expressions()
  assert.ok(all.size > 50, `${all.size} expressions were read`)
  for (const [where, expression] of all) {
    const names = expression.match(/\b(?:mlango|gen_ai_(?:client|server))_\w+/g) ?? []
    assert.ok(names.length > 0 || /\bup\{/.test(expression), where)
    for (const name of names) assert.ok(shown.has(name), `${where}: ${name}`)
    for (const [, name, labels] of expression.matchAll(/\b(\w+)\{([^}]*)\}/g)) {
      const metric = name!.replace(/_(bucket|sum|count)$/, '')
      const entry = entries.find(([known]) => known === name || known === metric)?.[1]
      for (const [, label] of labels!.matchAll(/(\w+)\s*[=!]~?/g)) {
        assert.ok(name === 'up' || entry?.labels?.includes(label!), `${where}: ${label}`)
      }
    }
  }
})

test('promtool accepts the rules, where there is one', () => {
  const files = ['deploy/prometheus/rules.yml']
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (error === undefined) assert.equal(status, 0, stdout + stderr)
})

test('every alert has a section in the runbook', () => {
  const runbook = read('docs/operations.md')
  const alerts = [...read('deploy/prometheus/rules.yml').matchAll(/- alert: (\w+)/g)]
  assert.ok(alerts.length > 10)
  for (const [, name] of alerts) assert.ok(runbook.includes(`\`${name}\``), name)
})

test('the page about metrics has every metric with its kind and labels, and no other', () => {
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \|/gm)]
  const documented = rows.map(([, name, kind, labels]) => `${name} ${kind} ${labels!.trim()}`)
  const known = entries.map(
    ([name, { kind, labels }]) =>
      `${name} ${kind} ${(labels ?? []).map((label) => `\`${label}\``).join(', ')}`,
  )
  assert.deepEqual(
    documented.sort(),
    known
      .map((line) => line.trim())
      .map(padded)
      .sort(),
  )
})

/** A metric without labels has an empty cell. */
function padded(line: string): string {
  return line.split(' ').length === 2 ? `${line} ` : line
}

test('names follow the habits of Prometheus', () => {
  for (const [name, { kind, labels = [] }] of entries) {
    assert.match(name, /^(mlango|gen_ai_(client|server))_[a-z_]+$/)
    assert.equal(name.endsWith('_total'), kind === 'counter', name)
    for (const label of labels) assert.doesNotMatch(label, /account|key|user|phone|email|address/)
  }
})
