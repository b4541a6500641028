/** The word for a name that the service gave. One that is not known here is shown as it is. */
export function wordFor(known: Record<string, string>, name: string): string {
  return Object.hasOwn(known, name) ? known[name]! : name
}
