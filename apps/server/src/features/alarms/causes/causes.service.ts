// Causes that many alarms share, as lines of the current list.
import type { listAlarmCauses, ParsedInputFor } from '@voltkeep/contract'
import { passesNothing } from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { stateFilterOf } from '../alarm-filters.ts'
import { isNarrowedByHandling } from '../handling/handling-shown.queries.ts'
import { listCauses } from './causes.queries.ts'

export type Causes = ReturnType<typeof createCauses>

export function createCauses({ db }: { db: Db }) {
  return {
    async listAlarmCauses(actor: Actor, input: ParsedInputFor<typeof listAlarmCauses>) {
      // Only what is active has a line.
      if (input.status === '0') return []
      const filter = await stateFilterOf(db, actor, { ...input, isCaused: 'all', status: '1' })
      if (passesNothing(filter)) return []
      const isOfPlaces =
        filter.codes === null && !isNarrowedByHandling(filter.handled) && filter.shelved.wanted !== '1'
      return await listCauses(db, filter, { isOfPlaces })
    },
  }
}
