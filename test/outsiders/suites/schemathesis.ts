import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pythonPackages } from '../packages.ts'
import { outputOf } from '../program.ts'
import { withService, type Service } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
]
/** Always the same cases, and so many that a run takes minutes. */
const CASES =
  '--seed 41 --max-examples 8 --phases examples,coverage,fuzzing ' +
  `--generation-database none --workers 1 --no-color -c ${CHECKS.join(',')}`
/** It would end the account with which the others are tried. */
const LEFT_OUT = 'DELETE /v1/me'

type Document = { paths: Record<string, Record<string, { security?: object[] }>> }
type Report = {
  failures: { title: string; operations: string[] }[]
  errors: { title: string; operations?: string[] }[]
}

/** Hostile and harmless requests made from our own OpenAPI document; answers must keep to it. */
export const schemathesis: Suite = {
  name: 'schemathesis',
  async run(version) {
    const program = join(await pythonPackages(`schemathesis==${version}`), 'schemathesis')
    return withService(async (service) => {
      const { byKey, bySession, open } = await operations(service)
      return [
        ...(await tried(program, service, { names: byKey, credential: service.key })),
        ...(await tried(program, service, { names: bySession, credential: service.token })),
        ...(await tried(program, service, { names: open })),
      ]
    })
  },
}

/** What opens them: an API key, else a session, else nothing. */
async function operations({ base }: Service) {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as Document
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      by: security.flatMap((one) => Object.keys(one))[0],
    })),
  )
  const names = (by?: string) =>
    all.filter((one) => one.by === by && one.name !== LEFT_OUT).map(({ name }) => name)
  return { byKey: names('apiKey'), bySession: names('accessToken'), open: names() }
}

async function tried(
  program: string,
  { url, base }: Service,
  { names, credential }: { names: string[]; credential?: string },
): Promise<Outcome[]> {
  const file = join(tmpdir(), `schemathesis-${process.pid}.json`)
  const report = ['--report', 'json', '--report-json-path', file]
  const wanted = names.flatMap((name) => ['--include-name', name])
  const header = credential === undefined ? [] : ['-H', `Authorization: Bearer ${credential}`]
  const args = [
    'run',
    `${base}/openapi.json`,
    '--url',
    url,
    ...header,
    ...CASES.split(' '),
    ...report,
  ]
  try {
    await outputOf(program, [...args, ...wanted], { cwd: tmpdir() })
    const told = JSON.parse(await readFile(file, 'utf8')) as Report
    return names.map((name) => outcome(name, told))
  } finally {
    await rm(file, { force: true })
  }
}

/**
 * Our document has the schema of what an event says, as OpenAI's has; schemathesis takes it for that of
 * the event with its name.
 */
const MISREAD = 'SSE event violates schema'

/** A method that a path does not have counts as the path's. */
function outcome(name: string, { failures, errors }: Report): Outcome {
  const path = name.split(' ')[1]
  const about = ({ operations = [] }: { operations?: string[] }) =>
    operations.some((one) => one === name || (one.startsWith('TRACE ') && one.endsWith(` ${path}`)))
  const told = [...failures, ...errors].filter((one) => about(one) && one.title !== MISREAD)
  const titles = told.map(({ title }) => title)
  return titles.length === 0 ? { name } : { name, failure: titles.join('; ') }
}
