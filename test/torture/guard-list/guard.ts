/** A guard, how to remove it, and the test that must then fail. */
export type Guard = {
  name: string
  file: string
  find: string
  put: string
  test: string
  /** The name of the test that must fail, so that another failure does not count. */
  fails: RegExp
}
