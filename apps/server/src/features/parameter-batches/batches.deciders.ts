// Whose decisions a batch carries: its creator's and those of who agreed to it all the time, and those of a user who
// continued it after its trial or asked for another attempt.
import {
  continueParameterBatch,
  describeStop,
  insertParameterBatch,
  type ParameterBatchKind,
  restoreParameterBatch,
  retryParameterBatch,
} from '@voltkeep/contract'
import { type DataScope, everything } from '../../domain/access/data-scope.ts'
import {
  type Approved,
  approverOf,
  type Decider,
  listKeptBack,
  type Standing,
  standingScope,
} from '../../domain/access/deciders.ts'
import type { Asker } from '../../domain/device-work/work.queries.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { reachesBeyond } from './batches.queries.ts'
import { type AskerDeed, reasons, type TargetEvent, targets } from './targets/index.ts'

export interface Created extends Approved {
  kind: ParameterBatchKind
  createdBy: number
  createdByName: string
}

const codesOf = ({ kind }: Created) => [
  (kind === 'set' ? insertParameterBatch : restoreParameterBatch).access,
]
const creatorOf = (created: Created): Decider => ({
  userId: created.createdBy,
  name: created.createdByName,
  role: '创建人',
  functionCodes: codesOf(created),
})
const secondOf = (created: Created): Decider | null => approverOf(created, codesOf(created))

/** What somebody did for an attempt, beside the batch's people. */
export interface Asked {
  asker: Asker
  /** Null: a release before this was kept; then who continued the batch is taken to have done that. */
  deed: AskerDeed | null
  continuedBy: number | null
}

const hasContinued = ({ asker, deed, continuedBy }: Asked) =>
  deed === null ? asker.userId === continuedBy : deed === 'continued'

/** Somebody who let a device begin after the trial, or asked for another attempt: who did both is asked for what was last. */
const askerOf = (asked: Asked): Decider =>
  hasContinued(asked)
    ? { ...asked.asker, role: '继续人', functionCodes: continueParameterBatch.access }
    : { ...asked.asker, role: '重试人', functionCodes: [retryParameterBatch.access] }

/** Why a device gets nothing that is in the creator's reach, and not in that user's. */
export const beyondAsker = (asked: Asked): string =>
  hasContinued(asked) ? reasons.beyondContinuer : reasons.beyondAsker

/** The people of a batch, each with why a device that one of them does not reach gets nothing more. */
const peopleOf = (created: Created): { decider: Decider; beyond: string }[] => {
  const second = secondOf(created)
  return [
    { decider: creatorOf(created), beyond: reasons.beyondCreator },
    ...(second ? [{ decider: second, beyond: reasons.beyondApprover }] : []),
  ]
}

/** The devices that the decision of the batch's people reaches as of now; stopped where it does not stand. */
export const standingOf = (db: Db, created: Created): Promise<Standing> =>
  standingScope(
    db,
    peopleOf(created).map(({ decider }) => decider),
  )

/** The same of each of them, with why what is out of that scope is taken back. */
export async function limitsOf(db: Db, created: Created): Promise<{ scope: DataScope; beyond: string }[]> {
  const limits: { scope: DataScope; beyond: string }[] = []
  for (const { decider, beyond } of peopleOf(created)) {
    const { scope } = await standingScope(db, [decider])
    if (scope !== null && scope !== everything) limits.push({ scope, beyond })
  }
  return limits
}

/** The same of a user who continued the batch, or asked for another attempt. */
export const standingOfAsker = (db: Db, asked: Asked): Promise<Standing> =>
  standingScope(db, [askerOf(asked)])

/**
 * Whether somebody of that scope may not stop the batch, because of its devices: those that its people do not
 * reach any more do not count, so that a moved device keeps nobody from stopping the rest.
 */
export async function isBeyondControl(
  db: Db,
  scope: DataScope,
  batch: Created & { id: number },
): Promise<boolean> {
  const { scope: own } = await standingOf(db, batch)
  return reachesBeyond(db, scope, batch.id, { own: own ?? everything })
}

export interface DueTarget extends Created {
  id: string
  asked: Asked | null
}

/** What keeps targets that are due from being sent, by id: someone whose decision does not reach the device now. */
export async function readObstacles(trx: Trx, due: readonly DueTarget[]): Promise<Map<string, TargetEvent>> {
  const inScope = (scope: DataScope, ids: readonly string[]) => targets.listWithin(trx, scope, ids)
  const ofAskers = await listKeptBack(trx, due, ({ asked }) => asked && askerOf(asked), inScope)
  const ofApprovers = await listKeptBack(trx, due, secondOf, inScope)
  const ofCreators = await listKeptBack(trx, due, creatorOf, inScope)
  const obstacles = new Map<string, TargetEvent>()
  for (const { id, asked } of due) {
    const stopped = ofAskers.get(id)
    if (asked === null || stopped === undefined) continue
    const reason = stopped ? describeStop(stopped) : beyondAsker(asked)
    obstacles.set(id, { kind: 'unasked', reason })
  }
  for (const [id, stopped] of ofApprovers)
    obstacles.set(id, { kind: 'stopped', reason: stopped ? describeStop(stopped) : reasons.beyondApprover })
  for (const [id, stopped] of ofCreators)
    obstacles.set(id, { kind: 'stopped', reason: stopped ? describeStop(stopped) : reasons.beyondCreator })
  return obstacles
}
