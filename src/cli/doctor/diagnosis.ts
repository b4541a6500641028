/** `bad` needs a cure and makes the exit status 1; a `note` is only worth knowing. */
export type Diagnosis = {
  /** What was looked at: `database`, `upstream main`. */
  part: string
  state: 'good' | 'note' | 'bad'
  says: string
  cure?: string
}

/** What one check finds. It may throw: that is a diagnosis too. */
export type Examine = () => Promise<Diagnosis[]>

export function good(part: string, says: string): Diagnosis {
  return { part, state: 'good', says }
}

export function note(part: string, says: string, cure?: string): Diagnosis {
  return { part, state: 'note', says, ...(cure === undefined ? {} : { cure }) }
}

export function bad(part: string, says: string, cure: string): Diagnosis {
  return { part, state: 'bad', says, cure }
}
