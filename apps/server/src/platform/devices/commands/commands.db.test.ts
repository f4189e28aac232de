import { setTimeout as delay } from 'node:timers/promises'
import type { CommandReply } from '@voltkeep/contract/topics/index'
import type pg from 'pg'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../../test/factories.ts'
import { type Notices, openNotices } from '../../database/notices/notices.ts'
import { type Statements, statementsOf } from '../../database/statements.ts'
import { wake } from '../../database/work/lease-queue.ts'
import { createLog } from '../../process/log.ts'
import { createWriteLanes, type WriteLanes } from '../ingest/write-lanes.ts'
import type { Outcome } from '../ingest/writer.ts'
import { firstCommandIdAt } from './command-ids.ts'
import { commandJobs } from './commands.jobs.ts'
import type { FinishedCommand, LateAnswer } from './commands.moves.ts'
import { commandTable, lockSent } from './commands.queries.ts'
import { createReplyWriter } from './commands.replies.ts'
import { type CommandStates, type Commands, commandsMade, createCommands } from './commands.ts'
import { type CommandDelivery, createCommandDelivery } from './delivery.ts'
import type { CommandTransport, OutgoingCommand } from './transport.ts'

/** A transport for devices that poll over HTTP: a device is reachable while its request is open. */
class PollingTransport implements CommandTransport {
  readonly open = new Set<number>()
  /** Devices that another process has. */
  readonly elsewhere = new Set<number>()
  readonly sent: OutgoingCommand[] = []
  isAcknowledging = true
  /** Whoever asks for this device, with others or alone, is answered after the promise. */
  slow: { deviceId: number; until: Promise<void> } | null = null
  #ready: (deviceId: number | null, isReturn: boolean) => void = () => {}
  #gone = () => {}

  async reachable(deviceIds: readonly number[]) {
    if (this.slow && deviceIds.includes(this.slow.deviceId)) await this.slow.until
    return deviceIds
      .filter((deviceId) => this.open.has(deviceId))
      .map((deviceId) => ({ deviceId, room: 10, topics: null }))
  }

  async connected(deviceIds: readonly number[]) {
    return deviceIds.filter((deviceId) => this.open.has(deviceId) || this.elsewhere.has(deviceId))
  }

  send(command: OutgoingCommand, delivered: () => void) {
    this.sent.push(command)
    if (this.isAcknowledging) delivered()
  }

  onReady(listener: (deviceId: number | null, isReturn: boolean) => void) {
    this.#ready = listener
  }

  onGone(listener: () => void) {
    this.#gone = listener
  }

  leaves(deviceId: number) {
    this.open.delete(deviceId)
    this.#gone()
  }

  comesBack(deviceId: number) {
    this.open.add(deviceId)
    this.#ready(deviceId, true)
  }
}

/** A process with the role ingest, assembled as in app.ts. */
interface Process {
  transport: PollingTransport
  states: CommandStates
  delivery: CommandDelivery
  notices: Notices
  lanes: WriteLanes
  /** A device replies; resolves with the result. */
  reply(deviceId: number, commandId: string, more?: Partial<CommandReply>): Promise<Outcome>
  stop(): Promise<void>
}

const log = createLog({ level: 'silent' })
const poolSize = 10
let database: TestDatabase
let api: Commands
const processes: Process[] = []
let ids = { operatorId: 0, modelId: 0, regionId: 0 }

beforeAll(async () => {
  database = await createTestDatabase({ poolSize })
  api = createCommands({ log, metrics: new Registry() })
  const { db } = database
  ids = {
    operatorId: await insertOperator(db, {
      organizationId: await insertOrganization(db, { parentId: null }),
    }),
    modelId: await insertModel(db),
    regionId: await insertRegion(db),
  }
  // A feature's own rows, which change together with its commands.
  await database.define('CREATE TABLE banner (command_id uuid PRIMARY KEY, state text NOT NULL)')
})
afterAll(() => database.close())
beforeEach(() => database.pool.query('TRUNCATE banner, device_command'))
afterEach(async () => {
  for (const process of processes.splice(0)) await process.stop()
})

async function startProcess({
  pool = database.pool as pg.Pool,
  /** Words of commits come after it. */
  wordsAfter = Promise.resolve(),
  deliveredGatherMs = 1_000,
} = {}): Promise<Process> {
  const transport = new PollingTransport()
  const notices = await openNotices({ pool: database.pool, log })
  const states = createCommands({ log, metrics: new Registry() })
  const slowWords: Pick<Notices, 'subscribe'> = {
    subscribe: (kind, listener) =>
      notices.subscribe(kind, async (ids) => {
        if (kind.name === commandsMade.name) await wordsAfter
        listener(ids)
      }),
  }
  const delivery = createCommandDelivery({
    pool,
    notices: slowWords,
    log,
    states,
    transport,
    deliveredGatherMs,
  })
  const lanes = createWriteLanes({ pool: database.pool, log })
  const writer = createReplyWriter(states, delivery.answered)
  let serial = 0
  delivery.start()
  const process: Process = {
    transport,
    states,
    delivery,
    notices,
    lanes,
    reply(deviceId, commandId, more = {}) {
      serial += 1
      const id = `${processes.indexOf(process)}-${serial}`
      const payload = { id, time: Date.now(), commandId, outcome: 'done' as const, ...more }
      const now = Date.now()
      const entry = {
        deviceId,
        payload,
        occurredAtMs: now,
        receivedAtMs: now,
        clockLimitMs: now,
        refuse() {},
      }
      return new Promise((done) => lanes.put({ deviceId, writer, entry, messageId: id, done }))
    },
    async stop() {
      await delivery.stop()
      await lanes.drained()
      await notices.close()
    },
  }
  processes.push(process)
  return process
}

const newDevice = () => insertDevice(database.db, ids)

async function withdraw(
  device: { id: number; code: string },
  options: { inMs?: number; maxAttempts?: number; intervalMs?: number; by?: Commands } = {},
) {
  const [id] = await database.db
    .transaction()
    .execute((trx) => (options.by ?? api).send(trx, [withdrawalOf(device, options)]))
  return id as string
}

function withdrawalOf(
  device: { id: number; code: string },
  { inMs = 600_000, maxAttempts = 3, intervalMs = 60_000 } = {},
) {
  return {
    deviceId: device.id,
    deviceCode: device.code,
    topic: 'withdraw',
    body: { advertisementId: 'ad' },
    deadline: new Date(Date.now() + inMs),
    rule: { maxAttempts, intervalMs },
  } as const
}

const stateOf = async (id: string) => {
  const { rows } = await database.pool.query(
    `SELECT state, result, attempts, next_at = deadline AS "isAwaitingDeadline" FROM device_command WHERE id = $1`,
    [id],
  )
  return rows[0]
}
/** Moves the deadline to now, so that the test does not depend on the speed of the machine. */
const reachDeadline = (id: string) =>
  database.db.transaction().execute(async (trx) => {
    const db = statementsOf(trx)
    await db.query({
      text: 'UPDATE device_command SET deadline = now(), next_at = now() WHERE id = $1',
      values: [id],
    })
    await db.query(wake(commandTable, 0))
  })
const becomes = (id: string, wanted: object) =>
  expect.poll(() => stateOf(id), { timeout: 30_000, interval: 20 }).toMatchObject(wanted)
const sentIds = ({ transport }: Process) =>
  transport.sent.map(({ payload }) => (JSON.parse(payload) as { id: string }).id)

test('a command that is due again is sent although the delivery of its last attempt is still being written', async () => {
  const process = await startProcess()
  const device = await newDevice()
  const id = await withdraw(device)
  const writing = await database.pool.connect()
  try {
    await writing.query('BEGIN')
    expect(await lockSent(writing as Statements, [id])).toEqual([])
    process.transport.comesBack(device.id)
    await expect.poll(() => sentIds(process), { timeout: 30_000 }).toEqual([id])
  } finally {
    await writing.query('ROLLBACK')
    writing.release()
  }
})

describe("a feature's results", () => {
  const seen: { finished: FinishedCommand[]; late: LateAnswer[] } = { finished: [], late: [] }
  const takeResults = ({ states }: Process, { failures = 0 } = {}) => {
    let failuresLeft = failures
    seen.finished = []
    seen.late = []
    states.handle({
      withdraw: {
        async finished(connection, commands) {
          for (const { id, result } of commands) {
            await connection.query('INSERT INTO banner (command_id, state) VALUES ($1, $2)', [id, result])
          }
          if (failuresLeft > 0) {
            failuresLeft -= 1
            throw new Error('the feature has a fault')
          }
          return () => seen.finished.push(...commands)
        },
        async late(_connection, answers) {
          seen.late.push(...answers)
          return undefined
        },
      },
    })
  }
  const banners = async () => (await database.pool.query('SELECT * FROM banner')).rows

  test('are passed in the transaction that ends the command, once', async () => {
    const process = await startProcess()
    takeResults(process)
    const device = await newDevice()
    process.transport.open.add(device.id)
    const id = await withdraw(device)
    await becomes(id, { state: 'delivered' })
    await process.reply(device.id, id, { outcome: 'failed', reason: '没电' })
    await process.reply(device.id, id)
    expect(await banners()).toEqual([{ command_id: id, state: 'answered' }])
    expect(seen.finished).toEqual([
      {
        id,
        deviceId: device.id,
        deviceCode: device.code,
        topic: 'withdraw',
        result: 'answered',
        outcome: 'failed',
        reason: '没电',
        attempts: 1,
      },
    ])
  })

  test('are passed for expired commands and for late answers', async () => {
    const process = await startProcess()
    takeResults(process)
    const device = await newDevice()
    const id = await withdraw(device, { inMs: 100 })
    await becomes(id, { result: 'expired' })
    expect(await banners()).toEqual([{ command_id: id, state: 'expired' }])
    await process.reply(device.id, id)
    await process.reply(device.id, id)
    expect(seen.late).toMatchObject([{ id, result: 'expired', outcome: 'done' }])
    expect(seen.finished).toHaveLength(1)
  })

  test('that the feature’s handler fails on leave the command unchanged, and the feature’s rows too', async () => {
    const process = await startProcess()
    takeResults(process, { failures: 1 })
    const device = await newDevice()
    process.transport.open.add(device.id)
    const id = await withdraw(device, { intervalMs: 400, maxAttempts: 1_000 })
    await expect.poll(() => process.transport.sent.length, { timeout: 20_000 }).toBeGreaterThan(0)
    expect(await process.reply(device.id, id)).toBe('unwritten')
    expect(await banners()).toEqual([])
    expect((await stateOf(id)).result).toBeNull()
    // The device is asked again.
    const askedCount = process.transport.sent.length
    await expect.poll(() => process.transport.sent.length, { timeout: 20_000 }).toBeGreaterThan(askedCount)
    await process.reply(device.id, id)
    expect(await banners()).toEqual([{ command_id: id, state: 'answered' }])
  })
})

describe('several processes', () => {
  test('each send the commands of their own devices', async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const devices = await Promise.all(Array.from({ length: 30 }, newDevice))
    for (const [n, { id }] of devices.entries()) (n % 2 === 0 ? one : other).transport.open.add(id)
    const commandIds = await Promise.all(devices.map((device) => withdraw(device)))
    await expect
      .poll(() => one.transport.sent.length + other.transport.sent.length, { timeout: 20_000 })
      .toBe(30)
    expect(sentIds(one).sort()).toEqual(commandIds.filter((_, n) => n % 2 === 0).sort())
    expect(sentIds(other).sort()).toEqual(commandIds.filter((_, n) => n % 2 === 1).sort())
  })

  test('that reach the same device send a command once', async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    const devices = await Promise.all(Array.from({ length: 30 }, newDevice))
    for (const { id } of devices) {
      one.transport.open.add(id)
      other.transport.open.add(id)
    }
    const commandIds: string[] = []
    for (const device of devices) commandIds.push(await withdraw(device), await withdraw(device))
    for (const id of commandIds) await becomes(id, { state: 'delivered', attempts: 1 })
    expect([...sentIds(one), ...sentIds(other)].sort()).toEqual(commandIds.sort())
  })

  test('do not send a command again that the device has acknowledged to the process that it left', async () => {
    const [one, other] = [await startProcess({ deliveredGatherMs: 3_600_000 }), await startProcess()]
    const device = await newDevice()
    one.transport.open.add(device.id)
    const id = await withdraw(device)
    await expect.poll(() => sentIds(one), { timeout: 20_000 }).toEqual([id])
    one.transport.leaves(device.id)
    await becomes(id, { state: 'delivered', attempts: 1 })
    other.transport.comesBack(device.id)
    const next = await withdraw(device)
    await expect.poll(() => sentIds(other), { timeout: 20_000 }).toContain(next)
    expect(sentIds(other)).toEqual([next])
  })

  test('take over commands of a process that died between commit and send', async () => {
    const dead = await startProcess()
    const device = await newDevice()
    dead.transport.open.add(device.id)
    dead.transport.isAcknowledging = false
    const id = await withdraw(device)
    await becomes(id, { state: 'sent' })
    // For other processes, this equals a kill -9 in between.
    await dead.stop()
    const alive = await startProcess()
    alive.transport.comesBack(device.id)
    await expect.poll(() => sentIds(alive), { timeout: 20_000 }).toEqual([id])
    await becomes(id, { state: 'delivered', attempts: 1 })
  })

  test('count the attempts to a device that another process has by now', async () => {
    const process = await startProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    process.transport.isAcknowledging = false
    const id = await withdraw(device, { intervalMs: 200, maxAttempts: 3 })
    await becomes(id, { state: 'sent', attempts: 1 })
    process.transport.open.delete(device.id)
    process.transport.elsewhere.add(device.id)
    // It waits to be sent by the other one.
    await becomes(id, { state: 'waiting', attempts: 1 })
  })

  test('try again after the interval while the device does not return', async () => {
    const process = await startProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    const id = await withdraw(device, { intervalMs: 200, maxAttempts: 3 })
    // From now on only the deadline can end it, on a machine of any speed.
    await becomes(id, { attempts: 3, isAwaitingDeadline: true })
    await reachDeadline(id)
    await becomes(id, { result: 'expired', attempts: 3 })
    expect(sentIds(process)).toEqual([id, id, id])
  })
})

describe('a command to a device that is connected to the process that makes it', () => {
  /** A process that makes commands, too. */
  async function makingProcess() {
    const process = await startProcess()
    return { ...process, by: process.states as CommandStates & Commands }
  }
  const payloadsOf = ({ transport }: Pick<Process, 'transport'>) =>
    transport.sent.map(({ payload }) => JSON.parse(payload) as { id: string; time: number; deadline: number })

  test('is written as sent, and leaves with the commit', async () => {
    const process = await makingProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    process.transport.isAcknowledging = false
    const id = await database.db.transaction().execute(async (trx) => {
      const [made] = await process.by.send(trx, [withdrawalOf(device)])
      const { rows } = await statementsOf(trx).query({
        text: 'SELECT state, attempts FROM device_command WHERE id = $1',
        values: [made],
      })
      expect(rows).toEqual([{ state: 'sent', attempts: 1 }])
      expect(process.transport.sent).toEqual([])
      return made as string
    })
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toEqual([id])
    const { rows } = await database.pool.query<{ time: Date; deadline: Date }>(
      'SELECT created_at AS time, deadline FROM device_command WHERE id = $1',
      [id],
    )
    const [{ time, deadline } = { time: new Date(0), deadline: new Date(0) }] = rows
    expect(payloadsOf(process)).toEqual([
      { id, time: time.getTime(), deadline: deadline.getTime(), advertisementId: 'ad' },
    ])
    expect(await process.reply(device.id, id)).toBe('stored')
    expect(await stateOf(id)).toMatchObject({ state: 'finished', result: 'answered', attempts: 1 })
  })

  test('does not leave where the transaction is rolled back', async () => {
    const process = await makingProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    const rolledBack = database.db.transaction().execute(async (trx) => {
      await process.by.send(trx, [withdrawalOf(device)])
      throw new Error('thought better of it')
    })
    await expect(rolledBack).rejects.toThrow('thought better of it')
    // What the rolled back one holds does not keep the next one.
    const id = await withdraw(device, { by: process.by })
    await becomes(id, { state: 'delivered', attempts: 1 })
    expect(sentIds(process)).toEqual([id])
  })

  test('does not overtake an older one that waits', async () => {
    const process = await makingProcess()
    const device = await newDevice()
    const older = await withdraw(device)
    process.transport.open.add(device.id)
    const newer = await withdraw(device, { by: process.by })
    const newest = await withdraw(device, { by: process.by })
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toEqual([older, newer, newest])
  })

  test('is given back where the device has gone before the commit, and sent by whoever has it then', async () => {
    const process = await makingProcess()
    const other = await startProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    const id = await database.db.transaction().execute(async (trx) => {
      const [made] = await process.by.send(trx, [withdrawalOf(device, { intervalMs: 3_600_000 })])
      process.transport.open.delete(device.id)
      other.transport.open.add(device.id)
      return made as string
    })
    await becomes(id, { state: 'delivered', attempts: 1 })
    expect(sentIds(process)).toEqual([])
    expect(sentIds(other)).toEqual([id])
  })

  test('leaves although the word of the commit is lost with its connection', async () => {
    const process = await makingProcess()
    const device = await newDevice()
    process.transport.open.add(device.id)
    const listeners = "application_name = 'voltkeep notices' AND datname = current_database()"
    const id = await database.db.transaction().execute(async (trx) => {
      const [made] = await process.by.send(trx, [withdrawalOf(device, { intervalMs: 3_600_000 })])
      const db = statementsOf(trx)
      await db.query({ text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${listeners}` })
      await expect
        .poll(
          async () => {
            const { rows } = await database.pool.query(`SELECT FROM pg_stat_activity WHERE ${listeners}`)
            return rows.length
          },
          { timeout: 20_000, interval: 5 },
        )
        .toBe(0)
      return made as string
    })
    await becomes(id, { state: 'delivered', attempts: 1 })
    expect(sentIds(process)).toEqual([id])
  })
})

describe('a device that has just come back gets over its new connection', () => {
  /** A device with a command that an older connection has lost. */
  async function withLost(options: Parameters<typeof startProcess>[0] = {}) {
    const process = await startProcess(options)
    const device = await newDevice()
    process.transport.isAcknowledging = false
    process.transport.open.add(device.id)
    const lost = await withdraw(device)
    await becomes(lost, { state: 'sent' })
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toEqual([lost])
    return { process, by: process.states as CommandStates & Commands, device, lost }
  }
  /** Another device with a waiting command: what it gets, it gets together with the one that came back before it. */
  async function another() {
    const device = await newDevice()
    return { device, id: await withdraw(device) }
  }
  const allOf = async (process: Process, last: string) => {
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toContain(last)
    return sentIds(process)
  }
  /** The same without those of other devices: which device of a batch comes first depends on the words of commits. */
  const beside = async (process: Process, last: string, ...ofOthers: string[]) =>
    (await allOf(process, last)).filter((id) => id !== last && !ofOthers.includes(id))

  test('once what is made before the lost ones have gone again', async () => {
    const { process, by, device, lost } = await withLost()
    const { transport } = process
    const other = await another()
    const gate = Promise.withResolvers<void>()
    transport.slow = { deviceId: other.device.id, until: gate.promise }
    transport.comesBack(device.id)
    transport.comesBack(other.device.id)
    const made = await withdraw(device, { by })
    expect(await allOf(process, made)).toEqual([lost, made])
    gate.resolve()
    expect(await beside(process, other.id)).toEqual([lost, made, lost])
    await becomes(made, { state: 'sent', attempts: 1 })
  })

  test('once what is committed and not known to be when the lost ones go again', async () => {
    const words = Promise.withResolvers<void>()
    const { process, by, device, lost } = await withLost({ wordsAfter: words.promise })
    const made = await withdraw(device, { by })
    const other = await another()
    process.transport.comesBack(device.id)
    process.transport.comesBack(other.device.id)
    expect(await beside(process, other.id)).toEqual([lost, lost])
    words.resolve()
    const last = await withdraw(other.device)
    await allOf(process, made)
    await allOf(process, last)
    expect(sentIds(process).filter((id) => id === made)).toEqual([made])
  })

  test('once what was being sent when it came', async () => {
    const process = await startProcess()
    process.transport.isAcknowledging = false
    const [device, other] = [await newDevice(), await another()]
    const id = await withdraw(device)
    const blocking = await database.pool.connect()
    try {
      await blocking.query('BEGIN; LOCK TABLE device_command IN EXCLUSIVE MODE')
      process.transport.comesBack(device.id)
      await expect
        .poll(
          async () => {
            const { rows } = await database.pool.query(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
            return rows.length
          },
          { timeout: 20_000, interval: 5 },
        )
        .toBe(1)
      process.transport.comesBack(device.id)
      process.transport.comesBack(other.device.id)
    } finally {
      await blocking.query('ROLLBACK')
      blocking.release()
    }
    expect(await beside(process, other.id)).toEqual([id])
  })

  test('nothing that it has acknowledged, although that is not written yet', async () => {
    const process = await startProcess({ deliveredGatherMs: 3_600_000 })
    const device = await newDevice()
    process.transport.open.add(device.id)
    const id = await withdraw(device)
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toEqual([id])
    process.transport.comesBack(device.id)
    const next = await withdraw(device)
    await expect.poll(() => sentIds(process), { timeout: 20_000 }).toContain(next)
    expect(sentIds(process)).toEqual([id, next])
  })

  test('again what went to it before it came back once more', async () => {
    const { process, by, device, lost } = await withLost()
    const { transport } = process
    const other = await another()
    const gate = Promise.withResolvers<void>()
    transport.slow = { deviceId: other.device.id, until: gate.promise }
    transport.comesBack(device.id)
    transport.comesBack(other.device.id)
    const made = await withdraw(device, { by })
    expect(await allOf(process, made)).toEqual([lost, made])
    transport.comesBack(device.id)
    const later = await another()
    transport.comesBack(later.device.id)
    gate.resolve()
    expect(await beside(process, later.id, other.id)).toEqual([lost, made, lost, made])
    expect(sentIds(process).filter((id) => id === other.id)).toEqual([other.id])
  })
})

describe('what it costs', () => {
  /** Counts the queries. */
  function counted() {
    const asked = { count: 0, quiet }
    async function quiet() {
      for (let before = -1; before !== asked.count; ) {
        before = asked.count
        await delay(1_000)
      }
    }
    const pool = new Proxy(database.pool, {
      get(target, name) {
        if (name === 'query' || name === 'connect') asked.count += 1
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return { asked, pool }
  }

  /** Makes all backends flush their statistics, which they do only now and then. */
  async function tellStatistics() {
    const clients = await Promise.all(Array.from({ length: poolSize }, () => database.pool.connect()))
    await Promise.all(clients.map((client) => client.query('SELECT pg_stat_force_next_flush()')))
    for (const client of clients) client.release()
  }

  test('ten thousand devices that reconnect at once need a few queries', async () => {
    const { asked, pool } = counted()
    const process = await startProcess({ pool })
    const device = await newDevice()
    const id = await withdraw(device)
    await asked.quiet()
    asked.count = 0
    // The other devices do not exist, which costs the same queries.
    for (let n = 1; n < 10_000; n += 1) process.transport.comesBack(1_000_000 + n)
    process.transport.comesBack(device.id)
    await expect.poll(() => sentIds(process), { timeout: 30_000 }).toEqual([id])
    expect(asked.count).toBeLessThan(40)
  })

  test('a process with nothing to send makes no queries', async () => {
    const { asked, pool } = counted()
    await startProcess({ pool })
    await asked.quiet()
    const before = asked.count
    await delay(2_000)
    expect(asked.count).toBe(before)
  })

  test('queries that were planned on an empty table still use indexes when it has filled', async () => {
    const process = await startProcess()
    const devices = await Promise.all(Array.from({ length: 20 }, newDevice))
    for (const { id } of devices) process.transport.open.add(id)
    const send = (count: number) =>
      database.db.transaction().execute((trx) =>
        api.send(
          trx,
          Array.from({ length: count }, (_, n) => {
            const { id: deviceId, code: deviceCode } = devices[n % devices.length] as (typeof devices)[0]
            const deadline = new Date(Date.now() + 600_000)
            return { deviceId, deviceCode, topic: 'withdraw', body: { advertisementId: 'ad' }, deadline }
          }),
        ),
      )
    const answerAll = async () => {
      const sent = process.transport.sent.splice(0)
      const replies = sent.map(({ deviceId, payload }) => process.reply(deviceId, JSON.parse(payload).id))
      await Promise.all(replies)
    }
    const scans = async () => {
      await tellStatistics()
      const { rows } = await database.pool.query<{ scans: number; read: number }>(
        `SELECT seq_scan::int AS scans, seq_tup_read::int AS read FROM pg_stat_user_tables
         WHERE relname = 'device_command'`,
      )
      return rows[0]
    }
    await database.owner.query('VACUUM ANALYZE device_command')
    // PostgreSQL may choose a generic plan from the sixth run on.
    for (let turn = 1; turn <= 8; turn += 1) {
      await send(20)
      await expect.poll(() => process.transport.sent.length, { timeout: 20_000 }).toBe(20)
      await answerAll()
    }
    const before = await scans()
    await send(200)
    await expect.poll(() => process.transport.sent.length, { timeout: 20_000 }).toBe(200)
    await answerAll()
    expect(await scans()).toEqual(before)
  })

  test('sending a new command updates no index', async () => {
    const process = await startProcess()
    const devices = await Promise.all(Array.from({ length: 50 }, newDevice))
    process.transport.isAcknowledging = false
    for (const { id } of devices) process.transport.open.add(id)
    const updates = async () => {
      await tellStatistics()
      const { rows } = await database.pool.query<{ all: number; withIndexes: number }>(
        `SELECT n_tup_upd::int AS all, (n_tup_upd - n_tup_hot_upd)::int AS "withIndexes"
         FROM pg_stat_user_tables WHERE relname = 'device_command'`,
      )
      return rows[0] as { all: number; withIndexes: number }
    }
    const before = await updates()
    const deadline = new Date(Date.now() + 600_000)
    const commands = Array.from({ length: 10 }, () => devices)
      .flat()
      .map(({ id: deviceId, code: deviceCode }, n) => ({
        deviceId,
        deviceCode,
        topic: 'withdraw' as const,
        body: { advertisementId: String(n) },
        deadline,
      }))
    await database.db.transaction().execute((trx) => api.send(trx, commands))
    await expect.poll(() => process.transport.sent.length).toBe(500)
    const after = await updates()
    expect(after.all - before.all).toBe(500)
    expect(after.withIndexes).toBe(before.withIndexes)
  })

  test('a hundred thousand commands are written in one transaction', async () => {
    const device = await newDevice()
    const commands = Array.from({ length: 100_000 }, (_, n) => ({
      deviceId: device.id,
      deviceCode: device.code,
      topic: 'withdraw' as const,
      body: { advertisementId: String(n) },
      deadline: new Date(Date.now() + 600_000),
    }))
    const commandIds = await database.db.transaction().execute((trx) => api.send(trx, commands))
    expect(new Set(commandIds).size).toBe(100_000)
    expect(commandIds).toEqual(commandIds.toSorted())
    const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM device_command')
    expect(rows).toEqual([{ n: 100_000 }])
  })
})

test('only commands that ended long ago are deleted', async () => {
  const device = await newDevice()
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  const made = async (madeDaysAgo: number, endedDaysAgo: number | null) => {
    const id = firstCommandIdAt(daysAgo(madeDaysAgo).getTime())
    await database.pool.query('UPDATE device_command SET id = $2 WHERE id = $1', [await withdraw(device), id])
    if (endedDaysAgo === null) return id
    await database.pool.query(
      `UPDATE device_command SET state = 'finished', result = 'expired', next_at = NULL, finished_at = $2 WHERE id = $1`,
      [id, daysAgo(endedDaysAgo)],
    )
    return id
  }
  const old = [await made(33, 32), await made(32, 31)]
  const others = [await made(40, 29), await made(38, null), await made(29, 28), await withdraw(device)]
  for (const job of commandJobs(database.pool)) await job.run(new AbortController().signal)
  for (const id of old) expect(await stateOf(id)).toBeUndefined()
  for (const id of others) expect(await stateOf(id)).toBeDefined()
})
