import { useAsk } from '../../../client/use-ask.ts'
import { useWords } from '../../../words/language.tsx'
import { activityWords } from './words.ts'

/** Names of keys and workspaces, revoked keys included. */
export function useNames() {
  const words = useWords(activityWords)
  const keys = useAsk('GET /v1/api-keys', { query: { include_revoked: 'true', limit: 100 } })
  const workspaces = useAsk('GET /v1/workspaces', { query: { limit: 100 } })
  return {
    keys: keys.data?.data ?? [],
    workspaces: workspaces.data?.data ?? [],
    keyName(id: string | undefined): string {
      if (id === undefined) return words.session
      const key = keys.data?.data.find((one) => one.id === id)
      return key === undefined ? words.unknownKey : `${key.name} (…${key.last4})`
    },
    workspaceName(id: string | undefined): string | undefined {
      return workspaces.data?.data.find((one) => one.id === id)?.name
    },
  }
}
