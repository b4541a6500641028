import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { DEFAULT_PREFERENCES } from './preference-shape.ts'
import type { Preferences, PreferencesPatch } from './preference-shape.ts'
import { readPreferences, savePreferences } from './preferences-store.ts'

export async function preferencesOf(db: Db, accountId: string): Promise<Preferences> {
  return (await readPreferences(db, accountId)) ?? DEFAULT_PREFERENCES
}

/** Merges deeply. The merge is one statement, so two patches at once both take effect. */
export async function changePreferences(
  db: Db,
  accountId: string,
  patch: PreferencesPatch,
): Promise<Preferences> {
  return db.begin(async (tx) => {
    const saved = await savePreferences(tx, accountId, patch)
    if (!saved.email.security && !saved.sms.security) {
      throw new Failure('invalid', 'Security notices must stay on by email or by SMS.', {
        param: 'security',
      })
    }
    return saved
  })
}
