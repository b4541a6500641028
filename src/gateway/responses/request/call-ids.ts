const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 48

/**
 * Ids of calls as every upstream takes them: plain letters, no two alike. A conversation that began
 * elsewhere may have others. Made from what was sent, so that they are the same on every turn.
 */
export class CallIds {
  /** How often each was used. */
  readonly #used = new Map<string, number>()

  fit(sent: string): string {
    const plain = FITTING.test(sent) ? sent : `call_${sent.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`
    let id = FITTING.test(plain) ? plain : plain.slice(0, LONGEST)
    for (let times = this.#used.get(id); times !== undefined; times = this.#used.get(id)) {
      this.#used.set(id, times + 1)
      id = `${plain.slice(0, LONGEST)}_${times + 1}`
    }
    this.#used.set(id, 1)
    return id
  }
}
