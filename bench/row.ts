/** One line of the result. A ratio below `atLeast` or above `atMost` is a miss. */
export type Row = {
  what: string
  value: number
  unit: string
  /** Against another row of the same run, since absolute figures depend on the machine; or a goal. */
  ratio?: { of: string; value: number; atLeast?: number; atMost?: number }
}

export type Bench = { name: string; run(): Promise<Row[]> }
