// Commands that leave right after the commit of the transaction that made them, without being locked and marked first:
// their rows are written as sent. That holds for devices that are connected to the process that makes the command, and
// have no older one waiting; all others are sent by commands.sender.ts.
//
// A NOTIFY in the transaction brings the word of its commit back to this process, which has kept what is to go out. So
// nothing leaves that is rolled back, and a crash in between costs what it costs between the marking and the sending:
// the row says sent, and the device that comes back over a new connection, or does not answer, gets it again.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type Notices, noticeStatement } from '../../database/notices/notices.ts'
import type { Statements } from '../../database/statements.ts'
import { beginByIndex, inTransaction } from '../../database/transaction.ts'
import { lockOpen } from './commands.queries.ts'
import {
  type CommandOutlet,
  type CommandStates,
  commandsMade,
  commandsWaiting,
  type Outgoing,
} from './commands.ts'
import type { CommandTransport } from './transport.ts'

/** More are kept by the database alone. */
const mostHeld = 10_000
/** A transaction that has told nothing by then was rolled back, or its word was lost. */
const patienceMs = 60_000
const queryLimitMs = 30_000

export function createOutlet({
  pool,
  notices,
  states,
  transport,
  send,
  complain,
}: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  states: Pick<CommandStates, 'advance' | 'handedOver'>
  transport: Pick<CommandTransport, 'reachable'>
  send: (command: Outgoing) => void
  complain: (error: unknown) => void
}): CommandOutlet & {
  /** Whether the command will still leave from here, or be given back. */
  holds(id: string): boolean
  start(): void
  stop(): Promise<void>
} {
  const held = new Map<string, { commands: readonly Outgoing[]; timer: NodeJS.Timeout }>()
  const devices = new Set<number>()
  /** The ids of the commands that are held, and of those that are just leaving or being given back. */
  const ids = new Set<string>()
  let working: Promise<unknown> = Promise.resolve()
  let unsubscribe = () => {}

  function take(token: string): readonly Outgoing[] {
    const one = held.get(token)
    if (!one) return []
    held.delete(token)
    clearTimeout(one.timer)
    for (const { deviceId } of one.commands) devices.delete(deviceId)
    return one.commands
  }

  async function leave(commands: readonly Outgoing[]): Promise<void> {
    const reachable = await transport.reachable(commands.map(({ deviceId }) => deviceId))
    const there = new Set(reachable.map(({ deviceId }) => deviceId))
    const gone: Outgoing[] = []
    for (const command of commands) {
      if (!there.has(command.deviceId)) {
        gone.push(command)
        continue
      }
      send(command)
      ids.delete(command.id)
      states.handedOver(command.topic)
    }
    await giveBack(gone)
  }

  /** Those that have not left wait like any others, for whichever process has their devices. */
  async function giveBack(commands: readonly Outgoing[]): Promise<void> {
    if (commands.length === 0) return
    const afterCommit = await inTransaction(
      pool,
      { begin: () => beginByIndex, queryLimitMs },
      async (connection) => {
        // Waits for the sender, which locks also what it leaves to this outlet.
        const rows = await lockOpen(
          connection as Statements,
          commands.map(({ id }) => id),
        )
        const advanced = await states.advance(connection, rows, () => [{ name: 'returned' }])
        const deviceIds = rows.map(({ deviceId }) => deviceId)
        if (deviceIds.length > 0) await connection.query(noticeStatement(commandsWaiting, deviceIds))
        return advanced.afterCommit
      },
    )
    afterCommit()
  }

  const work = (commands: readonly Outgoing[], act: typeof leave) => {
    // What fails is found at its interval, or when the device comes back.
    working = working
      .then(() => act(commands))
      .catch(complain)
      .finally(() => {
        for (const { id } of commands) ids.delete(id)
      })
  }

  return {
    async choose(commands) {
      const chosen = new Set<number>()
      if (devices.size + commands.length > mostHeld) return chosen
      const firsts = new Map<number, number>()
      for (const [place, { deviceId }] of commands.entries())
        if (!firsts.has(deviceId) && !devices.has(deviceId)) firsts.set(deviceId, place)
      for (const { deviceId, room, topics } of await transport.reachable([...firsts.keys()])) {
        const place = firsts.get(deviceId)
        const command = place === undefined ? undefined : commands[place]
        if (place === undefined || !command || room === 0) continue
        if (topics === null || topics.includes(command.topic)) chosen.add(place)
      }
      return chosen
    },
    hold(commands) {
      const token = randomUUID()
      for (const { deviceId, id } of commands) {
        devices.add(deviceId)
        ids.add(id)
      }
      const timer = setTimeout(() => work(take(token), giveBack), patienceMs)
      timer.unref()
      held.set(token, { commands, timer })
      return token
    },
    holds: (id) => ids.has(id),
    start() {
      unsubscribe = notices.subscribe(commandsMade, (tokens) => {
        // Null after a lost connection: the words of transactions that have committed meanwhile are lost.
        const lost = tokens === null
        const commands = (tokens ?? [...held.keys()]).flatMap((token) => [...take(token)])
        if (commands.length > 0) work(commands, lost ? giveBack : leave)
      })
    },
    async stop() {
      unsubscribe()
      const left = [...held.keys()].flatMap((token) => [...take(token)])
      if (left.length > 0) work(left, giveBack)
      await working
    },
  }
}
