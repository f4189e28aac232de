// SQL of whether alarms still wait for somebody, as what tells people of them has to know.
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { readQuiet, readShelved } from '../shelves/quiet.queries.ts'
import { shownHandling } from './handling-shown.queries.ts'

/** Of an alarm that waits for people. */
export interface Standing {
  isActive: boolean
  isAcknowledged: boolean
  isClosed: boolean
  /** Somebody keeps it quiet. */
  isShelved: boolean
}

/** By the episode's id; of one that is not the present state of its alarm any more, nothing. */
export async function readStandings(db: Db, episodeIds: readonly string[]): Promise<Map<string, Standing>> {
  const shown = shownHandling({
    isActive: sql`s.is_active`,
    value: sql`s.value`,
    recoveredAt: sql`s.recovered_at`,
  })
  const { rows } = await sql<{ id: string | null; isActive: boolean; handling: string }>`
    SELECT s.episode_id AS id, s.is_active AS "isActive", ${shown} AS handling
    FROM alarm_state s
    LEFT JOIN alarm_handling p ON p.episode_id = s.episode_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
    WHERE s.episode_id = ANY(${episodeIds}::int8[])`.execute(db)
  const shelved = await readShelved(db, await readQuiet(db), episodeIds)
  return new Map(
    rows.map(({ id, isActive, handling }) => [
      // The column is null where no episode was; none of those is asked for.
      id ?? '',
      {
        isActive,
        isAcknowledged: handling !== 'unacknowledged' && handling !== 'recoveredUnacknowledged',
        isClosed: handling === 'closed',
        isShelved: shelved.has(id ?? ''),
      },
    ]),
  )
}
