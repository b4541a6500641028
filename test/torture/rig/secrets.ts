/** Everything of a run that only its owner may ever read, and the search for it. */
export type Secrets = {
  readonly count: number
  add(secret: string | undefined): void
  /** Those that stand in a text, shortened. */
  in(text: string): string[]
  /** The same for what the database keeps: it may know prompts of jobs, and hashes of passwords. */
  credentialsIn(text: string): string[]
}

/** By their form, so that no key, token or marked prompt is missed: whole ones only. */
const CREDENTIALS = [/mlg_[0-9A-Za-z]{20,}/g, /mlr_[\w-]{20,}/g, /eyJ[\w-]{10,}\.[\w-]{10,}/g]
const FORMS = [...CREDENTIALS, /siri-\d+-\d+/g, /\$argon2id\$/g]

/** Beside the forms: passwords, codes and the keys of providers, as whole words. */
export function openSecrets(): Secrets {
  const known = new Set<string>()
  let forms = 0
  return {
    get count() {
      return known.size + forms
    },
    add(secret) {
      if (secret === undefined || secret.length < 6) return
      if (FORMS.some((form) => secret.search(form) >= 0)) forms += 1
      else known.add(secret)
    },
    in: (text) => find(text, FORMS, known),
    credentialsIn: (text) => find(text, CREDENTIALS, known),
  }
}

function find(text: string, forms: RegExp[], known: Set<string>): string[] {
  const found = forms.flatMap((form) => text.match(form) ?? [])
  for (const secret of known)
    // Not behind a dot: the digits of a time may be somebody's code.
    if (new RegExp(`(?<![\\w.])${escape(secret)}(?!\\w)`).test(text)) found.push(secret)
  return [...new Set(found)].map((one) => `${one.slice(0, 16)}…`)
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
