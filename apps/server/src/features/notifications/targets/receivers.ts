/** Whom a rule tells at a moment. Roles grow after the rule was saved, so the bound is asked for again each time. */
import { notifyReceiversAtMost } from '@voltkeep/contract'
import { refuse } from '../../../platform/calls/refusal.ts'
import type { Db } from '../../../platform/database/database.ts'
import { createComplaints } from '../../../platform/process/complaints.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { onDutyAt } from '../duties/duties.queries.ts'
import type { Targets } from '../escalations/escalations.states.ts'
import { listReceivers, type Receiver } from './targets.queries.ts'

interface Rule {
  ruleId: number
  organizationId: number
}

/** Says that a rule has more receivers than it tells. */
export type Complain = (ruleId: number) => void

export const complainBy = (log: Log): Complain =>
  createComplaints((ruleId) =>
    log.warn(
      { ruleId },
      spoken({
        zh: `通知规则的接收地址超过 ${notifyReceiversAtMost} 个，其余不通知`,
        en: `a notice rule has more than ${notifyReceiversAtMost} addresses to tell, the others are not told`,
      }),
    ),
  )

const found = async (db: Db, organizationId: number, targets: Targets, now: Date) =>
  listReceivers(
    db,
    organizationId,
    targets,
    await onDutyAt(db, targets.dutyIds, now),
    notifyReceiversAtMost + 1,
  )

/** The first of them where there are more than a rule tells. */
export async function receiversAt(
  db: Db,
  { ruleId, organizationId }: Rule,
  targets: Targets,
  now: Date,
  complain: Complain = () => {},
): Promise<Receiver[]> {
  const receivers = await found(db, organizationId, targets, now)
  if (receivers.length > notifyReceiversAtMost) complain(ruleId)
  return receivers.slice(0, notifyReceiversAtMost)
}

/** Refuses `tooManyNotifyReceivers` where one of these steps has more. */
export async function refuseMoreReceivers(
  db: Db,
  organizationId: number,
  steps: readonly Targets[],
  now: Date,
): Promise<void> {
  for (const targets of steps)
    if ((await found(db, organizationId, targets, now)).length > notifyReceiversAtMost)
      refuse('tooManyNotifyReceivers')
}
