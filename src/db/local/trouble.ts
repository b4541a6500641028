/** The database of our own cannot be had. The message is for the operator: the cause and the cure. */
export class LocalTrouble extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'LocalTrouble'
  }
}

/** For a fault of the file system, which Node tells by a code. */
export function asTrouble(error: unknown, folder: string): LocalTrouble {
  if (error instanceof LocalTrouble) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new LocalTrouble(sentenceFor(code, folder) ?? `${folder}: ${message}.`, { cause: error })
}

function sentenceFor(code: string | undefined, folder: string): string | undefined {
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(folder)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return notWritable(folder)
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return `DATA_DIR ${folder} cannot be made: a file stands where a folder is needed. Choose another DATA_DIR.`
  }
  return undefined
}

export function diskFull(folder: string): string {
  return `The disk that holds ${folder} is full. Free some space and start again; nothing was deleted.`
}

export function notWritable(folder: string): string {
  return `The folder ${folder} cannot be written by this user. Change its owner or mode, or choose another DATA_DIR.`
}
