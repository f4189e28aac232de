import type { DeviceChoice } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'

/** Which devices a task is for. */
export async function findChoice(db: Db, id: number): Promise<DeviceChoice | undefined> {
  const { rows } = await sql<{ devices: DeviceChoice }>`
    SELECT devices FROM upgrade_task WHERE id = ${id}`.execute(db)
  return rows[0]?.devices
}
