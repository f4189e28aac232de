import type { listDictionary, ParsedInputFor, readEnums } from '@voltkeep/contract'
import type { Db } from '../../platform/database/database.ts'
import { refuse } from '../../platform/refusal.ts'
import * as queries from './dictionary.queries.ts'

export type Dictionary = ReturnType<typeof createDictionary>

/** Enumerations and semaphores alike: what codes are called, and what an alarm's bits mean. */
export function createDictionary({ db }: { db: Db }) {
  return {
    /** Type -> its entries: the types asked for, empty where there are none, or all with the dictionary. */
    async readEnums({ types, type }: ParsedInputFor<typeof readEnums>) {
      const asked = [...(types ?? []), ...(type ?? [])]
      const entries = await queries.listEntriesOfTypes(db, asked.length > 0 ? asked : null)
      const byType = new Map<string, queries.EntryRow[]>(asked.map((one) => [one, []]))
      for (const entry of entries) {
        const ofType = byType.get(entry.type)
        if (ofType) ofType.push(entry)
        else byType.set(entry.type, [entry])
      }
      return Object.fromEntries([...byType].map(([one, rows]) => [one, rows.map(entryOf)]))
    },

    async listDictionary({ pageNum, pageSize, ...filter }: ParsedInputFor<typeof listDictionary>) {
      const [rows, total] = await Promise.all([
        queries.listEntries(db, filter, { limit: pageSize, offset: (pageNum - 1) * pageSize }),
        queries.countEntries(db, filter),
      ])
      return { rows: rows.map(entryOf), total }
    },

    /** Where the mobile app is to be had: kept as the note of an entry of type APP_ADDR. */
    async readNewestAppAddress() {
      const url = await queries.findNewestNote(db, 'APP_ADDR')
      return { url: url ?? refuse('downloadAddressMissing') }
    },
  }
}

const entryOf = ({ definitions, ...entry }: queries.EntryRow) =>
  definitions ? { ...entry, definitions } : entry
