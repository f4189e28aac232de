/**
 * Remote actions on a server that is killed again and again: doors of connected cabinets are opened by calls, as fast as
 * the calls are answered, while it is killed with -9. Every call that was answered has its action, each action has one
 * result, no device executes one twice, and what is confirmed was executed.
 *
 *   npm run bench:actions -- --kills 50
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { actOnDevice } from '@voltkeep/contract'
import { Batteries } from '@voltkeep/simulator/cabinet/battery'
import { Cabinet } from '@voltkeep/simulator/cabinet/cabinet'
import { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { withDatabase } from '../apps/server/test/command-ledger.ts'
import { cabinetsAmong } from '../apps/server/test/fleets.ts'
import { startServerProcess } from '../apps/server/test/server-process.ts'
import { noDeviceLimits } from './no-device-limits.ts'

const { values: options } = parseArgs({
  options: { kills: { type: 'string', default: '50' }, devices: { type: 'string', default: '60' } },
})
const kills = Number(options.kills)
const compartments = 12
const callers = 4

const server = await startServerProcess({
  demoDevices: Number(options.devices),
  environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
})
const random = createRandom(1)
const batteries = new Batteries(random.fork('batteries'))
const cabinets = cabinetsAmong(server.devices(), Number(options.devices))
const fleet = new Fleet(cabinets, {
  broker: { host: '127.0.0.1', port: server.mqttPort, isTls: false },
  random,
  reconnectMs: [100, 500],
  connectsPerSecond: 1_000,
  cabinetOf: ({ code }) =>
    new Cabinet({ count: compartments, batteries, random: random.fork(code), nowMs: Date.now() }),
  commandsOf: () => ({ actions: { doorMs: 300 } }),
})

/** By command id: what a call has promised. */
const promised = new Set<string>()
let refusedCount = 0

try {
  await fleet.start()
  await fleet.whenOnline()
  const token = await server.client.signIn('admin', server.adminPassword)
  const { rows: devices } = await withDatabase(server, (pool) =>
    pool.query<{ id: number }>('SELECT id FROM device WHERE code = ANY ($1) ORDER BY id', [
      cabinets.map(({ code }) => code),
    ]),
  )
  const playing = new AbortController()
  let turn = 0

  /** Presses doors one after the other, each of them no more than once within its minute. */
  async function press(): Promise<void> {
    while (!playing.signal.aborted) {
      const at = turn
      turn += 1
      const device = devices[at % devices.length]
      const compartment = (Math.floor(at / devices.length) % compartments) + 1
      try {
        const answer = await server.client.call(
          actOnDevice,
          { id: String(device?.id), action: 'openDoor', compartment, reason: `第 ${at} 次` },
          token,
        )
        if (answer.code === 200 && answer.data.commandId !== undefined) promised.add(answer.data.commandId)
        else refusedCount += 1
        await delay(20)
      } catch {
        // Killed: whether the action was made is unknown.
        await delay(50)
      }
    }
  }

  const pressing = Array.from({ length: callers }, press)
  for (let kill = 1; kill <= kills; kill += 1) {
    await delay(300 + Math.random() * 1_500)
    await server.kill()
    await server.start()
    await fleet.whenOnline()
  }
  await delay(1_000)
  playing.abort()
  await Promise.all(pressing)
  const differences = await compare()
  for (const line of differences) console.log(`  ${line}`)
  console.log(
    `${kills} times kill -9: ${promised.size} actions promised, ${refusedCount} refused, ` +
      `${differences.length} lost, executed twice, or not as told`,
  )
  if (differences.length > 0) process.exitCode = 1
} finally {
  fleet.cutPower()
  await server.remove()
}

/** Waits until every action is over; returns the differences, one per line. */
async function compare(): Promise<string[]> {
  const executed = new Map<string, number>()
  return withDatabase(server, async (pool) => {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT FROM remote_action WHERE state IN ('sent', 'acknowledged') LIMIT 1`,
      )
      if (rows.length === 0) break
      await delay(200)
    }
    for (const device of fleet.devices)
      for (const [id, count] of device.actionCounts) executed.set(id, (executed.get(id) ?? 0) + count)
    const { rows } = await pool.query<{
      id: string
      state: string
      result: string | null
      outcome: string | null
    }>(`
      SELECT x.command_id AS id, x.state, c.result, c.outcome
      FROM remote_action x LEFT JOIN device_command c ON c.id = x.command_id`)
    const states = new Map<string, number>()
    for (const { state } of rows) states.set(state, (states.get(state) ?? 0) + 1)
    console.log(`  ${[...states].map(([state, count]) => `${state} ${count}`).join(', ')}`)
    const known = new Set(rows.map(({ id }) => id))
    return [
      ...[...promised].filter((id) => !known.has(id)).map((id) => `lost ${id}`),
      ...rows.filter(({ result }) => result === null).map(({ id }) => `${id} has no command that ended`),
      ...[...executed].filter(([, count]) => count > 1).map(([id, count]) => `${id} executed ${count} times`),
      ...[...executed.keys()].filter((id) => !known.has(id)).map((id) => `${id} executed and not recorded`),
      ...rows
        .filter(({ id, state }) => state === 'confirmed' && executed.get(id) !== 1)
        .map(({ id }) => `${id} confirmed and not executed`),
      ...rows
        .filter(
          ({ outcome, state }) => outcome === 'done' && state !== 'confirmed' && state !== 'unconfirmed',
        )
        .map(({ id, state }) => `${id} answered as done is ${state}`),
    ]
  })
}
