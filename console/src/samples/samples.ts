import { curlOf } from './curl.ts'
import { javaScriptOf } from './javascript.ts'
import { pythonOf } from './python.ts'
import type { SampleCall } from './types.ts'

/** The same call three times; the key is read from the environment, so that it is in no history. */
export function samplesOf(origin: string, call: SampleCall): { name: string; code: string }[] {
  return [
    { name: 'curl', code: curlOf(origin, call) },
    { name: 'Python', code: pythonOf(origin, call) },
    { name: 'JavaScript', code: javaScriptOf(origin, call) },
  ]
}
