import assert from 'node:assert/strict'
import { test } from 'node:test'
import { command, done, failed, FLAG, TEXT, tableRow, verb } from '../../src/cli/command.ts'

const tills = command('tills', 'tills count <id> [<limit>] [--name <text>] [--all]', {
  count: verb(['id', 'limit?'], { name: TEXT, all: FLAG }, async (_: object, given) => {
    const { id, limit, name, all, actor, reason } = given
    return done(JSON.stringify([id, limit, name, all, actor.name, reason]))
  }),
  close: verb(['id'], {}, async (_: object, { id }) => failed(`There is no till ${id}.`, 'Sorry.')),
})

async function run(...args: string[]): Promise<[code: number, lines: string[]]> {
  const lines: string[] = []
  const code = await tills.run(args, { print: (line) => lines.push(line) })
  return [code, lines]
}

test('a verb gets its words and options, who does it and why', async () => {
  const by = ['--operator', ' neema ', '--reason', 'a test']
  const [code, [line]] = await run('count', 'T1', '--name', 'shop', '--all', ...by)
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(line!), ['T1', '', 'shop', true, 'neema', 'a test'])
})

test('words may begin with a minus, and may stand behind the options', async () => {
  for (const args of [
    ['T1', '-5'],
    ['--operator', 'neema', 'T1', '5'],
  ]) {
    const [, [line]] = await run('count', ...args)
    assert.deepEqual(JSON.parse(line!).slice(0, 2), ['T1', args.at(-1)])
  }
})

test('what it says when it fails, and the help for a line that it does not know', async () => {
  assert.deepEqual(await run('close', 'T1'), [1, ['There is no till T1.', 'Sorry.']])
  for (const args of [[], ['open', 'T1'], ['constructor'], ['close'], ['close', 'T1', 'T2']]) {
    assert.deepEqual(await run(...args), [2, [tills.help]], args.join(' '))
  }
  // Each verb knows its own options only.
  await assert.rejects(run('close', 'T1', '--all'), /Unknown option '--all'/)
  await assert.rejects(run('count', 'T1', '--name'), /argument missing/)
})

test('a row leaves out what is not there', () => {
  assert.equal(tableRow('a', undefined, '', 'b'), 'a  b')
})
