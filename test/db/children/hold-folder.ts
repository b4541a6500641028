import { lockFolder } from '../../../src/db/folder-lock.ts'

/** Run as a process of its own: locks the folder, says so, and waits to be killed. */
try {
  await lockFolder(process.argv[2]!)
  console.log('locked')
  setInterval(() => {}, 1_000)
} catch (error) {
  console.log((error as Error).message)
}
