// Sends commands to the devices that are reachable from this process.
//
// It queries the database only when it is told that a device may have commands waiting: by a notice when a command is
// written, or by the transport when the device has come back. So idle devices cost nothing, and ten thousand devices
// that come back together cost one query for each thousand.

import type pg from 'pg'
import { errorFields } from '../../database/database.ts'
import type { Notices } from '../../database/notices/notices.ts'
import type { Statements } from '../../database/statements.ts'
import { beginByIndex, inTransaction } from '../../database/transaction.ts'
import { wake } from '../../database/work/lease-queue.ts'
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'
import { createOutlet } from './commands.outlet.ts'
import {
  commandTable,
  listWaitingDevices,
  lockSendable,
  lockSent,
  type Receiver,
  type SendableRow,
} from './commands.queries.ts'
import { createReturns } from './commands.returns.ts'
import { type CommandStates, commandsWaiting, type Outgoing } from './commands.ts'
import type { CommandTransport } from './transport.ts'

export interface CommandSender {
  start(): void
  /** Replies to these have come: that they were delivered need not be written any more. */
  answered(ids: readonly string[]): void
  /** Sends nothing more, and ends when what was begun is done. */
  stop(): Promise<void>
}

/** A written command leaves at once, with those written in the same moment. */
const wokenGatherMs = 5
/** Devices come back by the thousand: they are gathered for so long. */
const returnGatherMs = 50
/** A reply soon after PUBACK saves the writing of "delivered". */
const usualDeliveredGatherMs = 1_000
/** Devices leave by the thousand, too, when a process sends them away. */
const goneGatherMs = 5
const devicesAtOnce = 1_000
const listedAtOnce = 5_000
const queryLimitMs = 30_000
const retryMs = 1_000

export function createCommandSender({
  pool,
  notices,
  log,
  states,
  transport,
  deliveredGatherMs = usualDeliveredGatherMs,
}: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  states: CommandStates
  transport: CommandTransport
  deliveredGatherMs?: number | undefined
}): CommandSender {
  /** Devices whose commands are queried next; true where the device is back over a new connection. */
  let asked = new Map<number, boolean>()
  /** The same for every device that has something to be sent; null: only for those that are named. */
  let allAsked: { isBack: boolean } | null = null
  let timer: NodeJS.Timeout | undefined
  let timerAtMs = Number.POSITIVE_INFINITY
  let running: Promise<void> | undefined
  /** Commands whose PUBACK has come, and that are not written as delivered yet. */
  let delivered = new Set<string>()
  let isHurried = false
  let deliveredTimer: NodeJS.Timeout | undefined
  let writingDelivered: Promise<void> = Promise.resolve()
  const returns = createReturns()
  let isStopped = false
  let unsubscribe = () => {}
  const complain = createComplaints((error, count) =>
    log.error(
      { ...errorFields(error), count },
      spoken({ zh: '命令暂时无法下发，将继续重试', en: 'commands cannot be sent for now, trying again' }),
    ),
  )

  function ask(deviceId: number | null, isBack: boolean, inMs: number): void {
    if (isStopped) return
    if (deviceId === null) allAsked = { isBack: isBack || allAsked?.isBack === true }
    else asked.set(deviceId, isBack || asked.get(deviceId) === true)
    runIn(inMs)
  }

  function runIn(inMs: number): void {
    const atMs = performance.now() + inMs
    if (isStopped || running || atMs >= timerAtMs) return
    clearTimeout(timer)
    timerAtMs = atMs
    timer = setTimeout(start, inMs)
  }

  function start(): void {
    timerAtMs = Number.POSITIVE_INFINITY
    running = run().finally(() => {
      running = undefined
      if (asked.size > 0 || allAsked) runIn(0)
    })
  }

  async function run(): Promise<void> {
    const devices = asked
    const all = allAsked
    asked = new Map()
    allAsked = null
    const back = [...devices.keys()].filter((deviceId) => devices.get(deviceId) === true)
    const endReturns = returns.taken(back, all?.isBack === true)
    try {
      await sendTo(devices)
      if (all) await sendToAll(all.isBack)
      endReturns()
    } catch (error) {
      complain(error)
      // Devices that are done already have nothing waiting: querying them again costs little.
      for (const [deviceId, isBack] of devices) ask(deviceId, isBack, retryMs)
      if (all) ask(null, all.isBack, retryMs)
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async function sendToAll(isBack: boolean): Promise<void> {
    let after = 0
    while (!isStopped) {
      const deviceIds = await listWaitingDevices(pool as Statements, { after, limit: listedAtOnce, isBack })
      await sendTo(new Map(deviceIds.map((deviceId) => [deviceId, isBack])))
      if (deviceIds.length < listedAtOnce) return
      after = deviceIds.at(-1) as number
    }
  }

  async function sendTo(devices: ReadonlyMap<number, boolean>): Promise<void> {
    const reachable = await transport.reachable([...devices.keys()])
    const receivers = reachable
      .filter(({ room }) => room > 0)
      .map((there): Receiver => ({ ...there, isBack: devices.get(there.deviceId) === true }))
    for (let start = 0; start < receivers.length && !isStopped; start += devicesAtOnce) {
      await sendBatch(receivers.slice(start, start + devicesAtOnce))
    }
  }

  /** Commands are marked as sent before they are sent: a crash in between costs an interval, and never a command. */
  async function sendBatch(receivers: readonly Receiver[]): Promise<void> {
    const { rows, afterCommit } = await inTransaction(
      pool,
      { begin: () => beginByIndex, queryLimitMs },
      async (connection) => {
        const locked = await lockSendable(connection as Statements, receivers)
        const sendable = locked.filter((row) => !isUnderWay(row))
        if (sendable.length === 0) return { rows: [], afterCommit: () => {} }
        const advanced = await states.advance(connection, sendable, ({ state }) =>
          state === 'sent' ? [{ name: 'returned' }, { name: 'sent' }] : [{ name: 'sent' }],
        )
        // The others keep the due time that was told when they were made.
        const rescheduled = advanced.rows.filter(
          ({ nextAt }, index) => nextAt?.getTime() !== sendable[index]?.nextAt?.getTime(),
        )
        const dueInMs = rescheduled.map(({ nextAt, now }) => (nextAt ?? now).getTime() - now.getTime())
        if (dueInMs.length > 0) await connection.query(wake(commandTable, Math.min(...dueInMs)))
        return advanced
      },
    )
    afterCommit()
    for (const row of rows) send(outgoingOf(row))
  }

  /** Whether a command goes over the device's present connection without being sent again. */
  function isUnderWay({ state, deviceId, id }: SendableRow): boolean {
    if (state !== 'sent') return false
    if (!delivered.has(id) && !outlet.holds(id) && !returns.hasGone(deviceId, id)) return false
    // It took the room of one that waits.
    ask(deviceId, false, 0)
    return true
  }

  function send({ id, deviceId, deviceCode, topic, body, createdAtMs, deadlineMs }: Outgoing): void {
    const head = `{"id":"${id}","time":${createdAtMs},"deadline":${deadlineMs}`
    const payload = body === '{}' ? `${head}}` : `${head},${body.slice(1)}`
    returns.sent(deviceId, id)
    transport.send({ deviceId, deviceCode, topic, payload }, () => {
      if (isStopped) return
      delivered.add(id)
      deliveredTimer ??= setTimeout(writeDelivered, deliveredGatherMs)
    })
  }

  /** Whichever process the device connects to next must find what it has got already. */
  function hurry(): void {
    if (isStopped || isHurried || delivered.size === 0) return
    isHurried = true
    clearTimeout(deliveredTimer)
    deliveredTimer = setTimeout(writeDelivered, goneGatherMs)
  }

  function writeDelivered(): void {
    deliveredTimer = undefined
    isHurried = false
    const ids = [...delivered]
    delivered = new Set()
    if (ids.length === 0) return
    writingDelivered = writingDelivered
      .then(async () => {
        const act = await inTransaction(
          pool,
          { begin: () => beginByIndex, queryLimitMs },
          async (connection) => {
            const rows = await lockSent(connection as Statements, ids)
            const { afterCommit } = await states.advance(connection, rows, () => [{ name: 'delivered' }])
            return afterCommit
          },
        )
        act()
      })
      // Not repeated: the command would only be sent again at its interval, and the device knows its id.
      .catch(complain)
  }

  const outlet = createOutlet({ pool, notices, states, transport, send, complain })

  return {
    start() {
      outlet.start()
      states.leaveBy(outlet)
      transport.onReady((deviceId, isReturn) => {
        if (isReturn) returns.began(deviceId)
        ask(deviceId, isReturn, isReturn ? returnGatherMs : wokenGatherMs)
      })
      transport.onGone?.(hurry)
      unsubscribe = notices.subscribe(commandsWaiting, (deviceIds) => {
        if (deviceIds === null) ask(null, false, wokenGatherMs)
        for (const deviceId of deviceIds ?? []) ask(deviceId, false, wokenGatherMs)
      })
      ask(null, false, 0)
    },
    answered(ids) {
      for (const id of ids) delivered.delete(id)
    },
    async stop() {
      states.leaveBy(null)
      await outlet.stop()
      isStopped = true
      unsubscribe()
      clearTimeout(timer)
      clearTimeout(deliveredTimer)
      await running
      writeDelivered()
      await writingDelivered
    },
  }
}

/** The body as it would be written at once: the database's text has blanks that a device's shell does not expect. */
const outgoingOf = ({ createdAt, deadline, body, ...row }: SendableRow): Outgoing => ({
  ...row,
  body: JSON.stringify(JSON.parse(body)),
  createdAtMs: createdAt.getTime(),
  deadlineMs: deadline.getTime(),
})
