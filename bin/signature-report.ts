/** What `npm audit signatures --json` has said, as one line; `bad` where a signature is wrong. */
export function signatureReport(output: string): { bad: boolean; line: string } {
  const said = parsed(output)
  if (said?.invalid === undefined) {
    const why = said?.error?.summary?.split('\n')[0] ?? 'npm gave no answer'
    return { bad: false, line: `Signatures of packages: not checked (${why}).` }
  }
  const names = said.invalid.map(({ name, version }) => `${name}@${version}`)
  if (names.length > 0) return { bad: true, line: `Wrong signatures: ${names.join(', ')}.` }
  const unsigned = said.missing?.length ?? 0
  return { bad: false, line: `Signatures of packages: none is wrong, ${unsigned} have none.` }
}

type Said = {
  invalid?: { name: string; version: string }[]
  missing?: unknown[]
  error?: { summary?: string }
}

function parsed(output: string): Said | undefined {
  try {
    return JSON.parse(output) as Said
  } catch {
    return undefined
  }
}
