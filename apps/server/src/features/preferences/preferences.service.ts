import {
  type ParsedInputFor,
  preferenceSchema,
  preferencesAtMost,
  type savePreference,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import * as queries from './preferences.queries.ts'

export type Preferences = ReturnType<typeof createPreferences>

/** Settings of one user each: nobody reads or writes another's. */
export function createPreferences({ db }: { db: Db }) {
  return {
    /** By key. Values of an older version that this one cannot read are left out. */
    async readPreferencesOf({ userId }: Pick<Actor, 'userId'>): Promise<Record<string, unknown>> {
      const rows = await queries.listPreferences(db, userId)
      return Object.fromEntries(
        rows
          .filter(({ key, value }) => preferenceSchema(key)?.safeParse(value).success === true)
          .map(({ key, value }) => [key, value]),
      )
    },

    /** Refuses 409 `tooManyPreferences`. */
    async savePreference(actor: Actor, { key, value }: ParsedInputFor<typeof savePreference>): Promise<void> {
      if (value === undefined) return queries.deletePreference(db, actor.userId, key)
      const isKept = await queries.keepPreference(db, actor.userId, { key, value }, preferencesAtMost)
      if (!isKept) refuse('tooManyPreferences')
    },
  }
}
