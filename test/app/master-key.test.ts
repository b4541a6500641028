import assert from 'node:assert/strict'
import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadMasterKey } from '../../src/app/master-key.ts'

describe('the master key', () => {
  it('is made once and kept with mode 600; a configured key takes precedence', async () => {
    const DATA_DIR = join(await mkdtemp(join(tmpdir(), 'mlango-key-')), 'data')
    const load = (MASTER_KEY?: string) => loadMasterKey({ DATA_DIR, MASTER_KEY })
    const [one, two] = await Promise.all([load(), load()])
    assert.equal(one, two)
    assert.ok(one.length >= 32)
    const file = join(DATA_DIR, 'master.key')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await readFile(file, 'utf8')).trim(), one)
    assert.equal(await load('x'.repeat(40)), 'x'.repeat(40))
  })
})
