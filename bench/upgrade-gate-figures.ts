import { readGateAlarms } from '../apps/server/src/features/upgrades/gate/gate.queries.ts'
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { fillHistory, fillRegistry, isFilled } from './lists-fill.ts'
import { noDeviceLimits } from './no-device-limits.ts'

/**
 * The duration of the alarm gate's query: for a task with all devices, in its last stage, with a large alarm history.
 * The first devices of each stage are verified; the rest waits. Nothing else reads the task.
 */
export async function measureGate({
  devices,
  alarms,
  dataDir,
}: {
  devices: number
  alarms: number
  dataDir: string | undefined
}): Promise<void> {
  const server = await startServerProcess({
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
    keptDataDir: dataDir,
  })
  try {
    const database = await openDatabase({
      url: databaseUrlOf(server.dataDir),
      zone: 'Asia/Shanghai',
      poolSize: 2,
    })
    try {
      if (!(await isFilled(database))) {
        const size = { alarms, events: 0, days: 60, devices }
        console.log(`filling: ${alarms} alarms of ${devices} devices`)
        await fillRegistry(database, size)
        await fillHistory(database, size, () => undefined)
      }
      await fillTask(database)
      for (const name of ['cold', 'warm', 'warm', 'warm']) {
        const startedAt = performance.now()
        const stages = await readGateAlarms(database.db, {
          taskId,
          stages: [1, 2, 3].map((number) => ({ number, soakMinutes: number < 3 ? 30 : null })),
          levels: [1, 2],
          ignoredAlarms: [],
          now: new Date(),
        })
        const figures = [...stages.values()].map(({ figures: { verified, all, controlDevices } }) =>
          [verified, all.alarmed, all.before, controlDevices, all.control].join(' / '),
        )
        console.log(`${name}: ${Math.round(performance.now() - startedAt)} ms; ${figures.join(', ')}`)
      }
    } finally {
      await database.close()
    }
  } finally {
    await server.remove()
  }
}

const taskId = 1_000_000

async function fillTask({ pool }: OpenDatabase): Promise<void> {
  await pool.query('UPDATE device_state SET is_online = true')
  await pool.query('DELETE FROM upgrade_target WHERE task_id = $1', [taskId])
  await pool.query(
    `INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions,
       started_at, verified_at)
     SELECT $1, id, 'BENCH', 1, 1, stage, rank, CASE WHEN is_done THEN 'succeeded' ELSE 'waiting' END, '{}',
       CASE WHEN is_done THEN verified_at - interval '10 minutes' END, CASE WHEN is_done THEN verified_at END
     FROM (
       SELECT *, stage < 3 OR rank < 50000 AS is_done,
         now() - interval '1 minute' * (CASE stage WHEN 1 THEN 120 WHEN 2 THEN 70 ELSE 40 - rank / 2000.0 END) AS verified_at
       FROM (
         SELECT id, CASE WHEN n <= 5000 THEN 1 WHEN n <= 30000 THEN 2 ELSE 3 END AS stage, n AS rank
         FROM (SELECT id, row_number() OVER (ORDER BY random()) AS n FROM device) d
       ) d
     ) d`,
    [taskId],
  )
  await pool.query('VACUUM ANALYZE upgrade_target, device_state')
}
