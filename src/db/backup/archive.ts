/** The first entry of an archive; the last one lists every file with its size and hash. */
export type About = {
  format: 'mlango-backup-1'
  made: string
  major: string
  masterKey: 'included' | 'kept elsewhere'
}
export type Manifest = { files: { name: string; size: number; sha256: string }[] }
export const ABOUT = 'mlango-backup.json'
export const MANIFEST = 'manifest.json'
export type Progress = (doneBytes: number, totalBytes: number) => void
