/**
 * Upgrades from end to end: the production server, simulated devices, real packages.
 *
 *   npm run bench:upgrades                      all of the following, one after the other
 *   npm run bench:upgrades -- --only plan       a task for 100,000 devices: the time until all targets are written;
 *                                               then its lists while 2,000 of them are upgraded
 *   npm run bench:upgrades -- --only dispatch   commands to 10,000 connected devices, as a ratio to the bare broker
 *   npm run bench:upgrades -- --only rollout    10,000 devices, one in twenty with troubles, to the last one
 *   npm run bench:upgrades -- --only kills      kill -9 at 50 random moments of rollouts over 500 devices
 *   npm run bench:upgrades -- --only gate       the alarm gate's query, with 2 million alarms
 *
 * `--devices N` makes any of them smaller; `--limit M` gives up after M minutes of waiting (15). `--installation DIR`
 * measures the server of another checkout, to compare the two in turns.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type Endpoint,
  listUpgradeFailures,
  listUpgradeLog,
  listUpgradeTargets,
  listUpgradeTasks,
  listUpgradeTransitions,
  readUpgradeTask,
  upgradeTargetStates,
} from '@voltkeep/contract'
import type { UpgradeTroubleName } from '@voltkeep/simulator/commands/trouble'
import { barePort, startBareBroker } from './bare-broker.ts'
import type { BenchFleet } from './fleet.ts'
import { cpuMs, residentBytes } from './process-cpu.ts'
import { dispatchUpgrade, longMinutes, oneStage, statesOf, targetCount, tell } from './upgrade-dispatch.ts'
import { measureGate } from './upgrade-gate-figures.ts'
import {
  createUpgradeWorld,
  eventually,
  newVersion,
  startFleet,
  type UpgradeWorld,
  whenReported,
} from './upgrade-world.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    devices: { type: 'string' },
    online: { type: 'string', default: '2000' },
    calls: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    kills: { type: 'string', default: '50' },
    alarms: { type: 'string', default: '2000000' },
    'data-dir': { type: 'string' },
    limit: { type: 'string', default: '15' },
    installation: { type: 'string' },
  },
})
const limitMinutes = Number(options.limit)
const devicesOr = (usual: number) => Number(options.devices ?? usual)

/** Stages without a soak. */
const stages = [
  { percent: 5, soakMinutes: 0 },
  { percent: 25, soakMinutes: 0 },
  { percent: 100, soakMinutes: 0 },
]
const finalStates = ['succeeded', 'failed', 'refused', 'timedOut', 'skipped', 'cancelled']

const whole = (value: number) => Math.round(value).toLocaleString('en')
const percentile = (list: readonly number[], share: number) =>
  list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

// ── Planning and lists ───────────────────────────────────────────────────────────────────────

async function measurePlan(): Promise<void> {
  const devices = devicesOr(100_000)
  const online = Math.min(devices, Number(options.online))
  const world = await createUpgradeWorld({ devices, isReported: false })
  let fleet: BenchFleet | undefined
  try {
    const startedAt = performance.now()
    const taskId = await world.startTask({
      stages: oneStage,
      // The online devices are spread among the others, so they are reached over five minutes.
      pacePerMinute: Math.ceil(devices / 5),
      skipGate: true,
      ...longMinutes,
    })
    const madeMs = performance.now() - startedAt
    await within(
      world,
      taskId,
      'all targets are written',
      async () => (await targetCount(world, taskId)) >= devices,
      20,
    )
    console.log(
      `${whole(devices)} devices: the task is made in ${Math.round(madeMs)} ms, all targets are written ` +
        `${seconds(performance.now() - startedAt)} after it was due (target 5 s)`,
    )
    fleet = await startFleet(world, { devices: online, installMs: 2_000 })
    await within(world, taskId, 'upgrades are on their way', async () => {
      const states = await statesOf(world, taskId)
      return (states.get('succeeded') ?? 0) > 10
    })
    await measureLists(world, taskId)
    console.log(`  meanwhile: ${tell(await statesOf(world, taskId))}`)
  } finally {
    fleet?.end()
    await world.remove()
  }
}

async function measureLists(world: UpgradeWorld, taskId: number): Promise<void> {
  const id = String(taskId)
  const total = await targetCount(world, taskId)
  const pick = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T
  const page = () => {
    const pageSize = pick([10, 20, 50, 100])
    return { pageSize, pageNum: 1 + Math.floor((Math.random() ** 3 * total) / pageSize) }
  }
  const perhaps = <T>(value: T) => (Math.random() < 0.3 ? value : undefined)
  const lists: [string, Endpoint, () => Record<string, unknown>][] = [
    ['tasks', listUpgradeTasks, () => ({ type: 'ALL' })],
    ['task', readUpgradeTask, () => ({ id })],
    ['targets', listUpgradeTargets, () => ({ taskId: id, ...page() })],
    [
      'targets by state',
      listUpgradeTargets,
      () => ({ taskId: id, pageSize: 20, states: [pick(upgradeTargetStates)], stage: perhaps(1) }),
    ],
    ['failures', listUpgradeFailures, () => ({ taskId: id })],
    ['timeline', listUpgradeTransitions, () => ({ taskId: id, pageSize: 20 })],
    ['log', listUpgradeLog, () => ({ ...page(), pageNum: 1 + Math.floor(Math.random() * 20) })],
  ]
  const calls = Number(options.calls)
  for (const [name, endpoint, input] of lists) {
    const took: number[] = []
    for (let n = 0; n < calls; n += 1) {
      const startedAt = performance.now()
      await world.call(endpoint, input() as never)
      took.push(performance.now() - startedAt)
    }
    console.log(
      `  ${name}: p50 ${percentile(took, 0.5).toFixed(1)}, p95 ${percentile(took, 0.95).toFixed(1)} ms (target 50 ms)`,
    )
  }
}

// ── Dispatch ─────────────────────────────────────────────────────────────────────────────────

/** Devices that accept each upgrade and do nothing more: a command, its PUBACK, its reply and its PUBACK. */
async function measureDispatch(): Promise<void> {
  const devices = devicesOr(10_000)
  const world = await createUpgradeWorld({ devices, isReported: true, installation: options.installation })
  const bare = await startBareBroker()
  const fleets: BenchFleet[] = []
  try {
    fleets.push(await startFleet(world, { devices, troubles: { 'goes-silent': 1 } }))
    await whenReported(world, devices)
    fleets.push(await startFleet(world, { devices, port: barePort }))
    const ratios: number[] = []
    for (let round = 1; round <= Number(options.rounds); round += 1) {
      const bareRate = await bare.measure(devices * 3, 900)
      const { rate, cpu, end } = await dispatchUpgrade(world, devices, {
        limitMinutes,
        cpu: () => cpuMs(world.server.pid),
      })
      ratios.push(rate / bareRate)
      const each = (ms: number) => `${Math.round((ms * 1000) / devices)} µs`
      console.log(
        `${whole(devices)} devices: ${whole(rate)} upgrades/s sent and taken on, bare broker ${whole(bareRate)} messages/s, ` +
          `ratio ${(rate / bareRate).toFixed(2)}; CPU a target: server ${each(cpu.server)}, ` +
          `database ${each(cpu.database)}`,
      )
      await end()
    }
    console.log(`  median ratio: ${percentile(ratios, 0.5).toFixed(2)} (target 0.3)`)
  } finally {
    for (const fleet of fleets) fleet.end()
    bare.broker.close()
    await world.remove()
  }
}

// ── Whole rollouts ───────────────────────────────────────────────────────────────────────────

/** One device in twenty. */
const troubles: Partial<Record<UpgradeTroubleName, number>> = {
  refuses: 0.01,
  'cut-download': 0.01,
  'wrong-hash': 0.005,
  'power-cut': 0.005,
  'install-fails': 0.01,
  'install-power-cut': 0.005,
  'claims-success': 0.0025,
  'goes-silent': 0.0025,
}
/**
 * Short intervals, so that failures are retried within the run, and high thresholds, so that they do not end it:
 * refusals come first, when hardly any target has succeeded.
 */
const haste = {
  attempts: 2,
  intervalMinutes: 1,
  stallMinutes: 1,
  verifyMinutes: 1,
  failurePercent: 100,
  skipGate: true,
}

async function measureRollout(): Promise<void> {
  const devices = devicesOr(10_000)
  const world = await createUpgradeWorld({ devices, isReported: true })
  let fleet: BenchFleet | undefined
  try {
    fleet = await startFleet(world, { devices, troubles, downloadMs: 500, installMs: 1_000 })
    await whenReported(world, devices)
    const idleBytes = residentBytes(world.server.pid)
    let peakBytes = idleBytes
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, residentBytes(world.server.pid))
    }, 200)
    const startedAt = performance.now()
    const taskId = await world.startTask({ ...haste, stages, pacePerMinute: 20_000 })
    await within(world, taskId, 'every target is final', () => isOver(world, taskId))
    clearInterval(watch)
    const states = await statesOf(world, taskId)
    const wrong = await differences(world, fleet, taskId, devices)
    console.log(
      `${whole(devices)} devices, 5 % with troubles: over in ${seconds(performance.now() - startedAt)}, ${tell(states)}; ` +
        `server memory ${megabytes(idleBytes)} idle, ${megabytes(peakBytes)} at most; ${wrong.length} not accounted for`,
    )
    report(wrong)
  } finally {
    fleet?.end()
    await world.remove()
  }
}

/** The maximum time between a ready server and its kill; its mean is the time of a restart. */
const longestLifeMs = 12_000

/** One rollout takes the kills before its end; the next kills affect a new one. */
async function measureKills(): Promise<void> {
  const devices = devicesOr(500)
  const kills = Number(options.kills)
  const beganAt = performance.now()
  const since = () => seconds(performance.now() - beganAt)
  console.log(
    `${kills} kills over ${whole(devices)} devices: some ${Math.ceil((kills * (longestLifeMs / 2 + 3_000)) / 60_000) + 5} minutes`,
  )
  let killed = 0
  let tasks = 0
  while (killed < kills) {
    const world = await createUpgradeWorld({ devices, isReported: true })
    let fleet: BenchFleet | undefined
    try {
      fleet = await startFleet(world, { devices, troubles, downloadMs: 1_000, installMs: 3_000 })
      await whenReported(world, devices)
      const taskId = await world.startTask({ ...haste, stages, pacePerMinute: 1_000 })
      tasks += 1
      console.log(`  ${since()}: rollout ${tasks} begins`)
      const killedBefore = killed
      while (killed < kills) {
        await delay(Math.random() * longestLifeMs)
        if (await isOver(world, taskId)) break
        await world.server.kill()
        const downAt = performance.now()
        await world.server.start()
        killed += 1
        console.log(
          `  ${since()}: kill ${killed}, ready again after ${seconds(performance.now() - downAt)}; ${tell(await statesOf(world, taskId))}`,
        )
      }
      await fleet.ask({ kind: 'whenOnline' })
      await within(world, taskId, 'every target is final', () => isOver(world, taskId))
      const wrong = await differences(world, fleet, taskId, devices)
      console.log(
        `rollout ${tasks}: over after ${since()}, killed ${killed - killedBefore} times, ` +
          `${tell(await statesOf(world, taskId))}; ${wrong.length} not accounted for`,
      )
      report(wrong)
    } finally {
      fleet?.end()
      await world.remove()
    }
  }
  console.log(`kill -9, ${killed} times over ${tasks} rollouts of ${whole(devices)} devices, in ${since()}`)
}

/** Differences between server and devices, one per line: no target may be installed twice, lost or stuck. */
async function differences(
  world: UpgradeWorld,
  fleet: BenchFleet,
  taskId: number,
  devices: number,
): Promise<string[]> {
  const targets = await world.query<{ id: string; code: string; state: string; reason: string | null }>(
    `SELECT t.id::text AS id, d.code, t.state, t.reason FROM upgrade_target t JOIN device d ON d.id = t.device_id
     WHERE t.task_id = $1`,
    [taskId],
  )
  const { accounts } = await fleet.ask({ kind: 'account', targets })
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const lines = targets.length === devices ? [] : [`${devices} devices, ${targets.length} targets`]
  for (const { id, code, state, reason } of targets) {
    const { installs = 0, version } = byId.get(id) ?? {}
    if (!finalStates.includes(state)) lines.push(`${code}: still ${state}`)
    if (installs > 1) lines.push(`${code}: installed ${installs} times`)
    if ((state === 'succeeded') !== (version === newVersion)) lines.push(`${code}: ${state}, runs ${version}`)
    if (['failed', 'refused', 'timedOut'].includes(state) && !reason)
      lines.push(`${code}: ${state} without a reason`)
  }
  return lines
}

function report(lines: readonly string[]): void {
  for (const line of lines.slice(0, 20)) console.log(`  ${line}`)
  if (lines.length > 0) process.exitCode = 1
}

// ── What a task has come to ──────────────────────────────────────────────────────────────────

async function isOver(world: UpgradeWorld, taskId: number): Promise<boolean> {
  const [task] = await world.query<{ state: string; note: string | null }>(
    `SELECT state, pause->>'note' AS note FROM upgrade_task WHERE id = $1`,
    [taskId],
  )
  if (task?.state === 'paused') throw new Error(`the task is paused: ${task.note}`)
  return task?.state === 'finished'
}

const within = (
  world: UpgradeWorld,
  taskId: number,
  what: string,
  isSo: () => Promise<boolean>,
  pauseMs?: number,
) =>
  eventually({ what, limitMinutes, isSo, pauseMs, present: async () => tell(await statesOf(world, taskId)) })

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

// ── All of them, or one ──────────────────────────────────────────────────────────────────────

const parts = {
  plan: measurePlan,
  dispatch: measureDispatch,
  rollout: measureRollout,
  kills: measureKills,
  gate: () =>
    measureGate({
      devices: devicesOr(100_000),
      alarms: Number(options.alarms),
      dataDir: options['data-dir'],
    }),
}
for (const [name, part] of Object.entries(parts)) {
  if (options.only !== undefined && options.only !== name) continue
  console.log(`\n## ${name}`)
  try {
    await part()
  } catch (error) {
    // The figures of the other parts are still useful.
    console.error(error)
    process.exitCode = 1
  }
}
process.exit()
