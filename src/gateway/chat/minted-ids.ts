/**
 * Ids of calls: ours for an upstream's. Theirs repeat, or are written in ways that others refuse; and
 * a reasoning may name a call before it comes.
 */
export class MintedIds {
  readonly #mint: () => string
  readonly #known = new Map<string, { id: string; taken: boolean }>()

  constructor(mint: () => string) {
    this.#mint = mint
  }

  of(theirs: string): string {
    return this.#find(theirs).id
  }

  /** For a call that begins: no two of them have one id, even if the upstream says so. */
  take(theirs: string): string {
    if (theirs === '') return this.#mint()
    if (this.#known.get(theirs)?.taken) this.#known.delete(theirs)
    const found = this.#find(theirs)
    found.taken = true
    return found.id
  }

  #find(theirs: string): { id: string; taken: boolean } {
    const known = this.#known.get(theirs)
    if (known !== undefined) return known
    const made = { id: this.#mint(), taken: false }
    this.#known.set(theirs, made)
    return made
  }
}
