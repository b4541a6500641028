import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/config.ts'
import {
  examineDisk,
  examineFiles,
  examineSettings,
  refusedSettings,
} from '../../../src/cli/doctor/files.ts'
import { freshFolder } from '../../db/local/support.ts'
import { statesOf } from './states.ts'

function folderWith(modes: { key: number; env: number; upstreams: number }) {
  const dataDir = join(freshFolder(), 'data')
  mkdirSync(dataDir)
  const write = (name: string, mode: number) => {
    const file = join(dataDir, name)
    writeFileSync(file, 'x')
    chmodSync(file, mode)
    return file
  }
  write('master.key', modes.key)
  return {
    dataDir,
    envFile: write('.env', modes.env),
    upstreamsFile: write('upstreams.json', modes.upstreams),
  }
}

test('files that only their owner reads are good', async () => {
  const found = await examineFiles(folderWith({ key: 0o600, env: 0o400, upstreams: 0o644 }))
  assert.deepEqual(statesOf(found), ['files good'])
})

test('each file that others can read or change is named, with the command that cures it', async () => {
  const files = folderWith({ key: 0o640, env: 0o644, upstreams: 0o666 })
  const found = await examineFiles(files)
  assert.deepEqual(statesOf(found), ['files bad', 'files bad', 'files bad'])
  assert.deepEqual(
    found.map(({ cure }) => cure),
    [
      `chmod 600 ${join(files.dataDir, 'master.key')}`,
      `chmod 600 ${files.envFile}`,
      `chmod go-w ${files.upstreamsFile}`,
    ],
  )
})

test('before the first start there is nothing to look at', async () => {
  const dataDir = join(freshFolder(), 'none')
  const found = await examineFiles({
    dataDir,
    envFile: join(dataDir, '.env'),
    upstreamsFile: undefined,
  })
  assert.deepEqual(statesOf(found), ['files good', 'files note'])
})

test('the disk: measured for real; nearly full; full', async () => {
  const [real] = await examineDisk(freshFolder())
  assert.match(real!.says, /^\d+\.\d of \d+\.\d GB are free/)
  const state = async (free: number, total: number) =>
    (await examineDisk('.', async () => ({ free, total })))[0]!.state
  assert.equal(await state(50e9, 100e9), 'good')
  assert.equal(await state(4e9, 10e9), 'good')
  assert.equal(await state(4e9, 100e9), 'note')
  assert.equal(await state(0.5e9, 100e9), 'bad')
})

test('settings: refused ones sentence by sentence, and those that are unfit for strangers', () => {
  const refused = refusedSettings('PORT: too big.\nMASTER_KEY must be set: why.')
  assert.deepEqual(
    refused.map(({ says }) => says),
    ['PORT: too big.', 'MASTER_KEY must be set: why.'],
  )
  assert.ok(refused.every(({ state }) => state === 'bad'))
  assert.deepEqual(statesOf(examineSettings(readConfig({}))), ['settings good', 'settings note'])
  const env = { PUBLIC_URL: 'https://api.example.com', TRUST_PROXY: 'on' }
  assert.deepEqual(statesOf(examineSettings(readConfig(env))), ['settings good'])
  const unfit = readConfig({ PUBLIC_URL: env.PUBLIC_URL, SMTP_URL: 'smtp://mail.example.com' })
  assert.deepEqual(statesOf(examineSettings(unfit)), [
    'settings good',
    'settings note',
    'settings bad',
  ])
})
