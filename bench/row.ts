/** One line of the result. With `atLeast`, a smaller ratio is a miss. */
export type Row = {
  what: string
  value: number
  unit: string
  /** Against another row of the same run, since absolute figures depend on the machine. */
  ratio?: { of: string; value: number; atLeast?: number }
}

export type Bench = { name: string; run(): Promise<Row[]> }
