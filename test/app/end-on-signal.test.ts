import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { runChild } from '../support/child.ts'

const FILE = 'test/app/children/full-memory.ts'

describe('a process whose memory is used up', { concurrency: true }, () => {
  const [full, nearly] = [runChild(FILE, ['full']), runChild(FILE, ['nearly'])]
  after(() => {
    for (const child of [full, nearly]) child.kill('SIGKILL')
  })

  it('drains, and ends as one that is to be started again', async () => {
    assert.equal(await full.line(), 'drained')
    assert.equal(await full.ended, 1)
  })

  it('goes on where a collection finds enough', async () => {
    assert.equal(await nearly.line(), 'looked')
    nearly.kill('SIGTERM')
    assert.equal(await nearly.line(), 'drained')
    assert.equal(await nearly.ended, 0)
  })
})
