/** How often a header was sent. Node joins or drops duplicates, so only the raw list knows. */
export function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!
    if (sent.length === name.length && sent.toLowerCase() === name) count++
  }
  return count
}
