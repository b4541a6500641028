import { readFileSync, writeFileSync } from 'node:fs'
import {
  COMMON_PASSWORDS_FILE,
  commonPasswordsFile,
} from '../src/accounts/credentials/common-passwords.ts'

/** `npm run passwords -- LIST…`: writes the file of common passwords from lists with one in each line. */
const lists = process.argv.slice(2).map((file) => readFileSync(file, 'utf8').split(/\r?\n/))
if (lists.length === 0) throw new Error('Name the lists.')
const file = commonPasswordsFile(lists.flat())
writeFileSync(COMMON_PASSWORDS_FILE, file)
process.stdout.write(`${file.length} bytes\n`)
