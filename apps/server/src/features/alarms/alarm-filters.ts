// From the filters of a list of alarms, as they came over the wire, to those of the queries.
import {
  alarmHandlings,
  type exportAlarmHistory,
  type exportAlarms,
  type ParsedInputFor,
} from '@voltkeep/contract'
import { type HistoryFilter, resolveFilter } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { historyRange, rangeEdges } from '../../platform/process/clock.ts'
import { hasOpenCauses } from './causes/causes.queries.ts'
import type { ShelvedFilter, StateFilter } from './current-alarms.queries.ts'
import type { HandlingFilter } from './handling/handling-shown.queries.ts'
import { readQuiet } from './shelves/quiet.queries.ts'

export type CurrentFilter = Omit<ParsedInputFor<typeof exportAlarms>, 'status'> & {
  status?: StateFilter['kind']
}
export type PastFilter = ParsedInputFor<typeof exportAlarmHistory>

/** Of the current list; active alarms where no status is asked for. */
export async function stateFilterOf(db: Db, actor: Actor, asked: CurrentFilter): Promise<StateFilter> {
  return {
    ...(await resolveFilter(db, actor, 'ALARM', asked)),
    ...rangeEdges(asked),
    kind: asked.status ?? '1',
    handled: handlingFilterOf(actor, asked),
    // A list of what is shelved stands behind a tab of its own.
    shelved: await shelvedFilterOf(db, asked.isShelved ?? '0'),
    caused: await causedFilterOf(db, asked),
  }
}

/** What is shelved is listed as it is. */
async function causedFilterOf(
  db: Db,
  { causeId, isCaused, isShelved }: CurrentFilter,
): Promise<StateFilter['caused']> {
  if (causeId !== undefined) return { by: causeId }
  return isCaused === '0' && isShelved !== '1' && (await hasOpenCauses(db)) ? 'none' : undefined
}

/** Which by whether shelves keep them quiet now. */
export const shelvedFilterOf = async (db: Db, wanted: ShelvedFilter['wanted']): Promise<ShelvedFilter> => ({
  wanted,
  quiet: await readQuiet(db),
})

/** Which by their handling; every state asked for is none asked for. */
export function handlingFilterOf(
  actor: Pick<Actor, 'userId'>,
  { handling, assigneeId }: Pick<PastFilter, 'handling' | 'assigneeId'>,
): HandlingFilter {
  const isOfAll = !handling || alarmHandlings.every((each) => handling.includes(each))
  return {
    handling: isOfAll ? null : handling,
    assigneeId: assigneeId === undefined ? null : assigneeId === 'me' ? actor.userId : idNumber(assigneeId),
  }
}

export async function historyFilterOf(db: Db, actor: Actor, asked: PastFilter): Promise<HistoryFilter> {
  return { ...(await resolveFilter(db, actor, 'ALARM', asked)), range: historyRange(asked) }
}
