/** The word for a name from the API. A name without a word is shown as it is. */
export function wordFor(known: Record<string, string>, name: string): string {
  return Object.hasOwn(known, name) ? known[name]! : name
}
