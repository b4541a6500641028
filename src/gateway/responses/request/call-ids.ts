const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 48

/**
 * Ids of calls as every upstream takes them: plain letters, no two alike. A conversation that began
 * elsewhere may have others. Made from what was sent, so that they are the same on every turn.
 */
export class CallIds {
  readonly #used = new Set<string>()

  fit(sent: string): string {
    const plain = FITTING.test(sent) ? sent : `call_${sent.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`
    let id = FITTING.test(plain) ? plain : plain.slice(0, LONGEST)
    for (let again = 2; this.#used.has(id); again++) id = `${plain.slice(0, LONGEST)}_${again}`
    this.#used.add(id)
    return id
  }
}
