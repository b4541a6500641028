import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { askThroughDoor, openOperatorDoor } from '../../src/operator/door.ts'
import { startHouse } from '../support/house.ts'

let house: Awaited<ReturnType<typeof startHouse>>
let door: Awaited<ReturnType<typeof openOperatorDoor>>
before(async () => {
  house = await startHouse()
  door = await openOperatorDoor(house.house)
})
after(async () => {
  await door.close()
  await house.close()
})

async function ask(...args: string[]): Promise<{ code: number | undefined; lines: string[] }> {
  const lines: string[] = []
  return { code: await askThroughDoor(house.dataDir, args, (line) => lines.push(line)), lines }
}

test('a command runs inside the service, and its lines and code come back', async () => {
  const { code, lines } = await ask('audit')
  assert.equal(code, 0)
  assert.match(lines.join('\n'), /^The books balance: \d+ accounts/)
})

test('what is wrong is told in a sentence', async () => {
  assert.equal((await ask('nonsense')).code, 2)
  const odd = await ask('catalog', 'sync', '--nonsense')
  assert.equal(odd.code, 1)
  assert.match(odd.lines.join('\n'), /nonsense/)
})

test('only the owner of the folder can open the door', async () => {
  const { mode } = await stat(join(house.dataDir, 'operator.sock'))
  assert.equal(mode & 0o777, 0o600)
})

test('where nobody listens, the answer is that', async () => {
  assert.equal(await askThroughDoor(join(house.dataDir, 'none'), ['audit'], () => {}), undefined)
})
