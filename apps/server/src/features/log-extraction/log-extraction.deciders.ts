/**
 * Whose decision an extraction carries while it is under way: that of the user who asked for it. It ends as soon as that
 * user was deleted or disabled, has lost the function, or does not see the device any more.
 */
import { describeStop, extractLog } from '@voltkeep/contract'
import { type DeciderWatch, createDeciderWatch as watchDeciders } from '../../domain/access/decider-watch.ts'
import { listKeptBack } from '../../domain/access/deciders.ts'
import { ofIds } from '../../domain/device-work/work.queries.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { logExtractionsAdded } from './log-extraction.notices.ts'
import { listUnderWay } from './log-extraction.queries.ts'
import { reasons } from './log-extraction.states.ts'
import { extractions, type MovingExtraction } from './log-extraction.work.ts'

export interface DeciderNeeds {
  db: Db
  commands: Pick<Commands, 'cancel'>
  tellChanged: (extractions: readonly MovingExtraction[]) => void
}

/**
 * Ends those of these extractions under way, or of all, whose user may not ask for them any more; their commands are
 * cancelled. Returns how many are left.
 */
export async function endUndecided(
  { db, commands, tellChanged }: DeciderNeeds,
  only: readonly string[] | null = null,
): Promise<number> {
  const underWay = await listUnderWay(db, only)
  const kept = await listKeptBack(
    db,
    underWay,
    ({ createdBy, createdByName }) => ({
      userId: createdBy,
      name: createdByName,
      role: '提取人',
      functionCodes: [extractLog.access],
    }),
    (scope, ids) => extractions.listWithin(db, scope, ids),
  )
  const ended = underWay.filter(({ id }) => kept.has(id))
  if (ended.length === 0) return underWay.length
  const moved = await db.transaction().execute(async (trx) => {
    await commands.cancel(
      trx,
      ended.flatMap(({ commandId }) => (commandId === null ? [] : [commandId])),
    )
    return extractions.move(trx, ofIds([...kept.keys()]), ({ id }) => {
      const stopped = kept.get(id)
      return { kind: 'undecided', reason: stopped ? describeStop(stopped) : reasons.beyondAsker }
    })
  })
  tellChanged(moved)
  return underWay.length - ended.length
}

/** Looks at the users of extractions as long as any is under way, and else asks nothing. */
export const createDeciderWatch = ({
  notices,
  log,
  ...needs
}: DeciderNeeds & Pick<DeciderWatch, 'notices' | 'log'>): Worker =>
  watchDeciders({
    endUndecided: () => endUndecided(needs),
    added: logExtractionsAdded,
    notices,
    log,
    complaint: {
      zh: '未能核对日志提取人的权限',
      en: 'the rights of those who extract logs could not be checked',
    },
  })
