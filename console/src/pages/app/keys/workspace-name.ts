type Named = { name: string; is_default: boolean }

/** The first workspace is created as "Default"; until it is renamed, the page's word is shown. */
export function workspaceName({ name, is_default }: Named, word: string): string {
  return is_default && name === 'Default' ? word : name
}
