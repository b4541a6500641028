import { inflate } from '@sparticuz/chromium'
import { globSync } from 'node:fs'

/** Unpacks the browser into the folder that is this process's TMPDIR: the package knows no other. */
for (const file of globSync(`${process.argv[2]!}/*.br`)) await inflate(file)
