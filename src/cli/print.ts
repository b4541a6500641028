/** Where a command's lines go. */
export type Print = (line: string) => void
