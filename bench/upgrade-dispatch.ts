// An upgrade of all devices of a world at once: how long it takes to plan, and at which rate devices are told and take it on.
import { eventually, type UpgradeWorld } from './upgrade-world.ts'

export const oneStage = [{ percent: 100, soakMinutes: 0 }]
export const longMinutes = { stallMinutes: 60, verifyMinutes: 60 }

interface Spent {
  server: number
  database: number
}

export interface Dispatch {
  /** From when the task was made, which was due a few seconds later, until all targets were written. */
  plannedMs: number
  /** Upgrades sent and answered a second. */
  rate: number
  /** CPU of the dispatch, ms. */
  cpu: Spent
  end(): Promise<void>
}

/** Devices that accept each upgrade and do nothing more: a command, its PUBACK, its reply and its PUBACK. */
export async function dispatchUpgrade(
  world: UpgradeWorld,
  devices: number,
  { limitMinutes, cpu }: { limitMinutes: number; cpu: () => Spent },
): Promise<Dispatch> {
  const within = (what: string, isSo: () => Promise<boolean>, taskId: number, pauseMs: number) =>
    eventually({
      what,
      limitMinutes,
      isSo,
      pauseMs,
      present: async () => tell(await statesOf(world, taskId)),
    })
  const plannedFrom = performance.now()
  // Without it, the pace would be measured.
  const taskId = await world.startTask(
    { stages: oneStage, pacePerMinute: 100_000, skipGate: true, attempts: 1, ...longMinutes },
    { pacePerMinute: 1_000_000_000 },
  )
  await within(
    'all targets are written',
    async () => (await targetCount(world, taskId)) >= devices,
    taskId,
    20,
  )
  const plannedMs = performance.now() - plannedFrom
  const before = cpu()
  const startedAt = performance.now()
  await within('all commands are answered', async () => !(await hasUnanswered(world, taskId)), taskId, 50)
  const rate = devices / ((performance.now() - startedAt) / 1000)
  const after = cpu()
  const taken = await answered(world, taskId)
  if (taken !== devices) throw new Error(`${taken} of ${devices} devices have accepted`)
  return {
    plannedMs,
    rate,
    cpu: { server: after.server - before.server, database: after.database - before.database },
    end: () => world.cancel(taskId),
  }
}

/** Asked twenty times a second: counting the answers each time took a fifth of the database's time. */
async function hasUnanswered(world: UpgradeWorld, taskId: number): Promise<boolean> {
  const rows = await world.query(
    `(SELECT 1 FROM upgrade_target WHERE task_id = $1 AND state = 'waiting' LIMIT 1)
     UNION ALL (SELECT 1 FROM device_command WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 1)`,
    [taskId],
  )
  return rows.length > 0
}

async function answered(world: UpgradeWorld, taskId: number): Promise<number> {
  const [row] = await world.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM upgrade_target t JOIN device_command c ON c.id = t.command_id
     WHERE t.task_id = $1 AND c.outcome = 'done'`,
    [taskId],
  )
  return row?.n ?? 0
}

export async function statesOf(world: UpgradeWorld, taskId: number): Promise<Map<string, number>> {
  const rows = await world.query<{ state: string; n: number }>(
    'SELECT state, count(*)::int AS n FROM upgrade_target WHERE task_id = $1 GROUP BY state',
    [taskId],
  )
  return new Map(rows.map(({ state, n }) => [state, n]))
}

export async function targetCount(world: UpgradeWorld, taskId: number): Promise<number> {
  let sum = 0
  for (const n of (await statesOf(world, taskId)).values()) sum += n
  return sum
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

export const tell = (states: ReadonlyMap<string, number>) =>
  [...states].map(([state, n]) => `${whole(n)} ${state}`).join(', ')
