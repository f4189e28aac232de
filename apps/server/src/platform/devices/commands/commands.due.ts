import type pg from 'pg'
import { type Notices, noticeStatement } from '../../database/notices/notices.ts'
import type { Connection } from '../../database/transaction.ts'
import { createLeaseQueue } from '../../database/work/lease-queue.ts'
import type { Worker } from '../../database/work/worker.ts'
import type { Log } from '../../process/log.ts'
import { type CommandRow, commandColumns, commandTable } from './commands.queries.ts'
import type { CommandEvent } from './commands.states.ts'
import { type CommandStates, commandsWaiting } from './commands.ts'
import type { CommandTransport } from './transport.ts'

const leaseMs = 60_000

/** Handles commands that got no answer: sends them again or ends them. */
export function createDueCommands({
  states,
  transport,
  ...needs
}: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  states: CommandStates
  transport: Pick<CommandTransport, 'connected'>
}): Worker {
  async function handle(connection: Connection, due: CommandRow[]): Promise<() => void> {
    const underWay = due.filter(({ deadline, now }) => now < deadline).map(({ deviceId }) => deviceId)
    const there = new Set(await transport.connected([...new Set(underWay)]))
    const { rows, afterCommit } = await states.advance(connection, due, ({ deviceId, deadline, now }) => {
      const event: CommandEvent =
        now >= deadline ? { name: 'deadline' } : { name: there.has(deviceId) ? 'due' : 'deviceGone' }
      return [event]
    })
    const waiting = new Set(rows.filter(({ state }) => state === 'waiting').map(({ deviceId }) => deviceId))
    if (waiting.size > 0) await connection.query(noticeStatement(commandsWaiting, [...waiting]))
    return afterCommit
  }
  return createLeaseQueue<CommandRow>(needs, {
    table: commandTable,
    key: ['id'],
    columns: commandColumns,
    leaseMs,
    handle,
  })
}
