import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFiles, type FileReport } from './crew.ts'
import { hasFailed } from './print.ts'

async function run(names: string[], workers: number, silenceMs: number): Promise<FileReport[]> {
  const reports: FileReport[] = []
  const files = names.map((name) => `test/runner/children/${name}.ts`)
  // A worker is started by a runner, never by a test.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const onFile = (report: FileReport) => void reports.push(report)
  await runFiles({ files, workers, options: [], env, silenceMs, onFile })
  return reports
}

const notesOf = ({ lines }: FileReport) =>
  lines.flatMap((line) => ('note' in line ? line.note.replace(/ \d+ s/, '') : []))

test('a file that hangs is ended, and says which test was running', async () => {
  for (let silenceMs = 2_000; ; silenceMs *= 2) {
    const reports = await run(['asleep', 'busy'], 2, silenceMs)
    const notes = reports.flatMap(notesOf)
    // On a busy machine it may not have come to its tests: then with more patience.
    if (silenceMs < 200_000 && notes.some((note) => note.includes('no test'))) continue
    assert.deepEqual(notes.sort(), [
      'Nothing was heard for: a suite > one that never ends.',
      'Nothing was heard for: one that never rests.',
    ])
    assert.deepEqual(reports.map(hasFailed), [true, true])
    return
  }
})

test('the next file runs', async () => {
  const [first, second] = await run(['ends', 'fine'], 1, 600_000)
  assert.deepEqual(
    [first, second].map((report) => report && hasFailed(report)),
    [true, false],
  )
})
