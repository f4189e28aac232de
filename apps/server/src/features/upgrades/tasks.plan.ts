// The source of a task's plan: its packages, and the devices of its choice that its creator sees.
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import type { Db } from '../../platform/database/database.ts'
import { devicesChosen } from '../devices/index.ts'
import type { Plan } from './targets.plan.queries.ts'
import type { LockedTask } from './tasks.queries.ts'

type Planned = Pick<LockedTask, 'packageIds' | 'equipTypeId' | 'devices'> &
  Partial<Pick<LockedTask, 'rollbackOf' | 'rollbackStage'>>

/** The plan of a task for somebody of that scope. */
export async function planWithin(
  db: Db,
  scope: DataScope,
  { packageIds, equipTypeId, devices, rollbackOf, rollbackStage }: Planned,
): Promise<Plan> {
  if (rollbackOf) return { rollbackOf, stage: rollbackStage ?? null, scope }
  return { packageIds, equipTypeId, chosen: await devicesChosen(db, scope, devices) }
}

/** The creator's scope today; null where the creator is gone. */
export async function scopeOfCreator(db: Db, createdBy: number): Promise<DataScope | null> {
  const creator = (await readHoldings(db, [createdBy])).get(createdBy)
  return creator ? scopeOf(db, creator) : null
}
