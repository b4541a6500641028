/** One instruction of a Dockerfile, with its continuation lines joined. */
type Instruction = { word: string; rest: string }
export type BuildStage = { from: string; name: string | undefined; instructions: Instruction[] }

/** Reads a Dockerfile as far as ours goes: no here-documents, no arguments. */
export function readDockerfile(text: string): BuildStage[] {
  const stages: BuildStage[] = []
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, word, rest] = /^(\w+)\s+(.*)$/.exec(line.trim())!
    if (word === 'FROM') {
      const [from, , name] = rest!.split(/\s+/)
      stages.push({ from: from!, name, instructions: [] })
    } else stages.at(-1)!.instructions.push({ word: word!, rest: rest! })
  }
  return stages
}

export function copyOf(rest: string): { from: string | undefined; sources: string[]; to: string } {
  const words = rest.split(/\s+/)
  const from = words[0]!.startsWith('--from=') ? words.shift()!.slice('--from='.length) : undefined
  return { from, sources: words.slice(0, -1), to: words.at(-1)! }
}
