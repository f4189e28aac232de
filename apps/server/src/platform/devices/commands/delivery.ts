import type pg from 'pg'
import type { Notices } from '../../database/notices/notices.ts'
import type { Log } from '../../process/log.ts'
import { createDueCommands } from './commands.due.ts'
import { createCommandSender } from './commands.sender.ts'
import type { CommandStates } from './commands.ts'
import type { CommandTransport } from './transport.ts'

/**
 * The part of a process with the role ingest that deals with commands: it sends them and handles those without a reply.
 */
export interface CommandDelivery {
  start(): void
  /** Called after the commit of the commands' replies. */
  answered(ids: readonly string[]): void
  /** Called before the devices' connections are closed. */
  stop(): Promise<void>
}

export function createCommandDelivery(needs: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  states: CommandStates
  transport: CommandTransport
  deliveredGatherMs?: number
}): CommandDelivery {
  const sender = createCommandSender(needs)
  const due = createDueCommands(needs)
  return {
    start() {
      sender.start()
      due.start()
    },
    answered: sender.answered,
    async stop() {
      await due.stop()
      await sender.stop()
    },
  }
}
