type Named = { name: string; is_default: boolean }

/** The first workspace has an English name by birth; until it is renamed, it is said in words. */
export function workspaceName({ name, is_default }: Named, word: string): string {
  return is_default && name === 'Default' ? word : name
}
