import type { EventData } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import type { FromWorker, TestResult } from './messages.ts'

/** The reporter of node:test in a worker: everything goes to the runner. */
export default async function* toRunner(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:pass' || type === 'test:fail') {
      tell({ kind: 'result', result: resultOf(data) })
    }
    if (type === 'test:diagnostic' && data.nesting > 0) {
      tell({ kind: 'note', depth: data.nesting, text: data.message })
    }
    yield ''
  }
}

function resultOf(data: EventData.TestPass | EventData.TestFail): TestResult {
  const { name, nesting: depth, details } = data
  const error = 'error' in details ? (details.error as TestError) : undefined
  return {
    name,
    depth,
    isSuite: details.type === 'suite',
    outcome: outcomeOf(data, error),
    ms: details.duration_ms,
    ...(error &&
      error.failureType !== 'subtestsFailed' && { error: inspect(error.cause ?? error) }),
  }
}

type TestError = Error & { failureType?: string }

function outcomeOf(
  { skip, todo }: EventData.TestPass | EventData.TestFail,
  error: TestError | undefined,
): TestResult['outcome'] {
  if (skip !== undefined && skip !== false) return 'skipped'
  if (todo !== undefined && todo !== false) return 'todo'
  if (error === undefined) return 'pass'
  return error.failureType === 'cancelledByParent' ? 'cancelled' : 'fail'
}

function tell(message: FromWorker): void {
  process.send!(message)
}
