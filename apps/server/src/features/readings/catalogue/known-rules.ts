// The rules of all readings in memory, for the intake: reports come thousands a second, and the catalogue changes by hand.
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { readingCatalogueChanged } from './catalogue.notices.ts'
import { listRules } from './catalogue.queries.ts'
import { ordinaryRule, type ReadingRule, type RulesOfType, rulesBy } from './catalogue.rules.ts'

export function createKnownRules({ db, notices }: { db: Db; notices: Pick<Notices, 'subscribe'> }) {
  let byType = new Map<number, RulesOfType>()
  const listeners = new Set<() => void>()
  /** Of the first reading, and of the one after each change; undefined: none is wanted yet. */
  let reading: Promise<void> | undefined
  /** Goes up with each change: what was read before it is not the newest. */
  let change = 0

  const read = async () => {
    for (let readAt = -1; readAt !== change; ) {
      readAt = change
      const rules = new Map<number, Map<string, ReadingRule>>()
      for (const row of await listRules(db)) {
        const ofType = rules.get(row.equipTypeId) ?? new Map<string, ReadingRule>()
        rules.set(row.equipTypeId, ofType)
        ofType.set(row.key, {
          isKept: row.keepsHistory,
          deadband: row.deadband,
          longestMs: row.longestSeconds * 1_000,
          plausible: { min: row.plausibleMin, max: row.plausibleMax },
        })
      }
      byType = new Map([...rules].map(([id, some]) => [id, rulesBy(some)]))
    }
    for (const tell of listeners) tell()
  }
  const start = (): Promise<void> => {
    reading = read().catch((error: unknown) => {
      // The next batch of reports asks again.
      reading = undefined
      throw error
    })
    return reading
  }

  notices.subscribe(readingCatalogueChanged, () => {
    change += 1
    // A process that takes no reports has never asked.
    if (reading) start().catch(() => undefined)
  })

  return {
    /** The rules of an equipment type; the ordinary one for what is not in its catalogue. */
    rulesFor: (equipTypeId: number): RulesOfType => byType.get(equipTypeId) ?? (() => ordinaryRule),
    /** Resolves at once but for the first time. Rejects where the database is away. */
    whenKnown: (): Promise<void> => reading ?? start(),
    /** Calls back whenever the rules have changed. */
    onChanged: (listener: () => void): void => {
      listeners.add(listener)
    },
  }
}
