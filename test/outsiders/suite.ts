/** One test of a suite; `failure` is what the suite said. */
export type Outcome = { name: string; failure?: string }

/** A program that somebody else wrote to test services like ours, or to be tested with. */
export type Suite = {
  name: string
  /** The setting that names what no package carries. Without it the suite is left out. */
  needs?: string
  run(version: string): Promise<Outcome[]>
}

/** What the table of docs/outsiders.md says of a suite. */
export type Expected = {
  name: string
  version: string
  what: string
  /** How many tests it has at least; of some, a new route adds one. */
  of: number
  /** How many passed when it was first run here: `1 of 17`. */
  before: string
  /** Those that fail now, and why. */
  fails: Record<string, string>
}
