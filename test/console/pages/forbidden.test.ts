import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { RULES, ruleIn } from '../../../console/src/pages/operator/forbidden.ts'

const SOURCES = join(import.meta.dirname, '../../../src/operators')

/** Every sentence with which an act of an operator is forbidden. */
function sentences(): string[] {
  return globSync('*.ts', { cwd: SOURCES }).flatMap((name) => {
    const text = readFileSync(join(SOURCES, name), 'utf8')
    return [...text.matchAll(/Failure\(\s*'forbidden',\s*['`]([^'`]+)['`]/g)].map(
      ([, said]) => said!,
    )
  })
}

it('has a sentence in both languages for every rule of the service', () => {
  const said = sentences().map((one) =>
    one.replace('${need.role}', 'support').replace('${most}', '12.5'),
  )
  const known = said.map((one) => ruleIn(one)?.rule ?? one)
  assert.deepEqual(known.toSorted(), Object.keys(RULES).toSorted())
  assert.equal(ruleIn(said.find((one) => one.includes('credits'))!)?.what, '12.5')
  assert.equal(ruleIn('Something else.'), undefined)
})
