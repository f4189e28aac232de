import type { DeviceChoice } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'

/** Which devices a task is for. */
export async function findChoice(db: Db, id: number): Promise<DeviceChoice | undefined> {
  const { rows } = await sql<{ devices: DeviceChoice }>`
    SELECT devices FROM upgrade_task WHERE id = ${id}`.execute(db)
  return rows[0]?.devices
}

/** The devices `d` of a task. */
export const ofTask = (id: number) =>
  sql<SqlBool>`d.id IN (SELECT t.device_id FROM upgrade_target t WHERE t.task_id = ${id})`
