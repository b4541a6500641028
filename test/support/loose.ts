/** JSON that a test reads as it comes: the assertions are its types. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any
