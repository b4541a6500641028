/** Where a command's lines go: a terminal, or the operator at the other end of the door. */
export type Print = (line: string) => void
