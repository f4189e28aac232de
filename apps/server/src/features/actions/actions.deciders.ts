/**
 * Whose decision an action carries until its command is handed over: that of the user who asked for it, and of the
 * second person who agreed. It ends as soon as one of them was deleted or disabled, has lost the function, or does not
 * see the device any more.
 */
import { describeStop, remoteActionCodes, type StoppedDecider } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import type { DataScope } from '../../domain/access/data-scope.ts'
import { type DeciderWatch, createDeciderWatch as watchDeciders } from '../../domain/access/decider-watch.ts'
import { approverOf, listKeptBack } from '../../domain/access/deciders.ts'
import { isUnsent, ofIds } from '../../domain/device-work/work.queries.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import { remoteActionsAdded } from './actions.notices.ts'
import { listUnanswered } from './actions.queries.ts'
import { reasons } from './actions.states.ts'
import { actions, type MovingAction } from './actions.work.ts'

export interface DeciderNeeds {
  db: Db
  commands: Pick<Commands, 'cancel'>
  tellChanged: (actions: readonly MovingAction[]) => void
}

/**
 * Takes back commands that wait and whose people may not ask for them any more. Returns how many have no answer yet: one
 * that was sent waits again where its device has gone before it arrived.
 */
export async function endUndecided({ db, commands, tellChanged }: DeciderNeeds): Promise<number> {
  const unanswered = await listUnanswered(db)
  const unsent = unanswered.filter(({ isUnsent }) => isUnsent)
  const inScope = (scope: DataScope, ids: readonly string[]) => actions.listWithin(db, scope, ids)
  const ofAskers = await listKeptBack(
    db,
    unsent,
    ({ action, createdBy, createdByName }) => ({
      userId: createdBy,
      name: createdByName,
      role: '操作人',
      functionCodes: [remoteActionCodes[action]],
    }),
    inScope,
  )
  const ofApprovers = await listKeptBack(
    db,
    unsent,
    ({ action, ...approved }) => approverOf(approved, [remoteActionCodes[action]]),
    inScope,
  )
  const kept = new Map([
    ...[...ofApprovers].map(([id, stopped]) => [id, reasonOf(stopped, reasons.beyondApprover)] as const),
    ...[...ofAskers].map(([id, stopped]) => [id, reasonOf(stopped, reasons.beyondAsker)] as const),
  ])
  for (const [id, reason] of kept) {
    const { rows } = await db.transaction().execute((trx) =>
      actions.takeBack(trx, sql<SqlBool>`${ofIds([id])} AND ${isUnsent}`, commands, () => ({
        kind: 'undecided',
        reason,
      })),
    )
    tellChanged(rows)
  }
  return unanswered.length - kept.size
}

const reasonOf = (stopped: StoppedDecider | null, beyond: string) =>
  stopped ? describeStop(stopped) : beyond

/** Looks at the users of actions as long as a command has no answer, and else asks nothing. */
export const createDeciderWatch = ({
  notices,
  log,
  ...needs
}: DeciderNeeds & Pick<DeciderWatch, 'notices' | 'log'>): Worker =>
  watchDeciders({
    endUndecided: () => endUndecided(needs),
    added: remoteActionsAdded,
    notices,
    log,
    complaint: {
      zh: '未能核对远程操作人的权限',
      en: 'the rights of those who act on devices could not be checked',
    },
  })
