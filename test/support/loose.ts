/** JSON of any shape: the assertions of a test check what it needs. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any
