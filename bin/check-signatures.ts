import { spawnSync } from 'node:child_process'
import { signatureReport } from './signature-report.ts'

/**
 * `npm run check:signatures`: whether what is installed is what its publishers signed. The registry
 * and Sigstore are asked; where they do not answer, a line says that it was not checked.
 */
const LONGEST_MS = 120_000
const asked = ['audit', 'signatures', '--json', '--fetch-retries=0', '--fetch-timeout=10000']
const { stdout } = spawnSync('npm', asked, { encoding: 'utf8', timeout: LONGEST_MS })
const { bad, line } = signatureReport(stdout ?? '')
process.stdout.write(`${line}\n`)
process.exitCode = bad ? 1 : 0
