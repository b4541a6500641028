/** The database that the service brings along cannot be used. The message tells the operator why, and what to do. */
export class DatabaseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseError'
  }
}

/** For an error of the file system, of which Node gives a code. */
export function asDatabaseError(error: unknown, folder: string): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new DatabaseError(sentenceFor(code, folder) ?? `${folder}: ${message}.`, { cause: error })
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
