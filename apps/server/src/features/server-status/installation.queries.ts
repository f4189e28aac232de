import { createHash } from 'node:crypto'
import type { Db } from '../../platform/database/database.ts'
import { readSecret } from '../../platform/database/secrets.ts'

export interface Installation {
  /** Tells installations apart, as a backup's manifest does; says nothing of their secrets. */
  id: string
  deviceCount: number
  /** By a device's report or somebody's change; null in a new one. */
  lastWrittenAt: Date | null
}

/** Which installation a database is, for whoever starts it. */
export async function readInstallation(db: Db): Promise<Installation> {
  const secret = await readSecret(db, 'installation')
  const { deviceCount } = await db
    .selectFrom('device')
    .select(({ fn }) => fn.countAll<string>().as('deviceCount'))
    .executeTakeFirstOrThrow()
  const report = await db
    .selectFrom('device_state')
    .select(({ fn }) => fn.max('last_report_at').as('at'))
    .executeTakeFirst()
  const change = await db
    .selectFrom('operation_log')
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirst()
  const times = [report?.at, change?.at].flatMap((at) => (at ? new Date(at).getTime() : []))
  return {
    id: createHash('sha256').update(secret).digest('hex').slice(0, 12),
    deviceCount: Number(deviceCount),
    lastWrittenAt: times.length === 0 ? null : new Date(Math.max(...times)),
  }
}
