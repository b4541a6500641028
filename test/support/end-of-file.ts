import { after } from 'node:test'

const ends: (() => Promise<void> | void)[] = []

/** For what would outlive the file's tests, were one of them to fail: ended when they are over. */
export function atEndOfFile(end: () => Promise<void> | void): void {
  ends.push(end)
}

/** `npm test` runs many files in one process and calls this after each. */
export async function endFile(): Promise<void> {
  await Promise.all(ends.splice(0).map(async (end) => end()))
}

// A file that runs by itself.
after(endFile)
