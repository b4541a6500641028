import { once } from 'node:events'
import { offerDatabase } from '../../runner/database.ts'

/** The database of a test file that runs without `npm test`. It ends with the process of the tests. */
process.on('SIGINT', () => {})
const offered = await offerDatabase()
const answer = await fetch(offered.url)
console.log(await answer.text())
process.stdin.resume()
await once(process.stdin, 'end')
await offered.close()
