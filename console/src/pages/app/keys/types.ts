import type { Answer } from '../../../client/ask.ts'

export type Key = Answer<'GET /v1/api-keys'>['data'][number]
export type Workspace = Answer<'GET /v1/workspaces'>['data'][number]

export type CreatedKey = {
  name: string
  key: string
  /** After a leak: whether the old key is revoked, or is still to be. */
  old?: 'revoked' | 'alive'
}

export type KeyDialog = { kind: 'rename' | 'revoke' | 'leaked'; target: Key }

export type WorkspaceDialog =
  | { kind: 'create'; workspace?: undefined }
  | { kind: 'rename' | 'delete'; workspace: Workspace }
