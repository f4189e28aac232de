// How the trial of a batch stands, for its readers.
import type { BatchCounts, ParameterBatchState } from '@voltkeep/contract'
import { type DataScope, everything } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { lists, readTrialAlarms, readTrialFigures } from './targets/index.ts'
import { autoTimeOf, isClean, type Trial } from './trial.rules.ts'

interface OfTrial {
  id: number
  state: ParameterBatchState
  trial: Trial | null
}

export interface TrialNow {
  /** Devices of the trial by state, as far as the scope reaches. */
  counts: BatchCounts
  /** When the batch continues by itself; null where it does not, as things stand. */
  autoTime: Date | null
}

/** By batch: those that have a trial. */
export async function readTrialsNow(
  db: Db,
  scope: DataScope,
  batches: readonly OfTrial[],
): Promise<Map<number, TrialNow>> {
  const ids = batches.filter(({ trial }) => trial !== null).map(({ id }) => id)
  const now = new Map<number, TrialNow>()
  if (ids.length === 0) return now
  const counts = await lists.readCounts(db, scope, ids, { isTrial: true })
  for (const batch of batches) {
    const ofOne = counts.get(batch.id)
    if (ofOne) now.set(batch.id, { counts: ofOne, autoTime: await readAutoTime(db, batch) })
  }
  return now
}

/** By all devices of the trial, whoever asks: the batch goes by them. */
async function readAutoTime(db: Db, { id, state, trial }: OfTrial): Promise<Date | null> {
  const time = trial && state === 'paused' ? autoTimeOf(trial) : null
  if (!trial || time === null) return null
  const [figures, { alarmed }] = await Promise.all([
    readTrialFigures(db, id),
    readTrialAlarms(db, everything, id),
  ])
  return isClean(trial, figures, alarmed) ? time : null
}
