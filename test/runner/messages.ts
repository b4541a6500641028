/** What a worker tells the runner. A file is over when it is `done` and its result of depth 0 is there. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'begun' | 'ended'; test: string }
  | { kind: 'result'; result: TestResult }
  | { kind: 'note'; depth: number; text: string }
  | { kind: 'done'; wallMs: number; cpuMs: number }

export type TestResult = {
  name: string
  /** 0 is the file, 1 a test or suite in it. */
  depth: number
  isSuite: boolean
  outcome: 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo'
  ms: number
  /** Of a test that failed; a suite whose tests failed has none of its own. */
  error?: string
}
