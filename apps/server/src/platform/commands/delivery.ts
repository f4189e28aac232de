import type pg from 'pg'
import type { Log } from '../log.ts'
import type { Notices } from '../notices.ts'
import { createDueCommands } from './commands.due.ts'
import { createCommandSender } from './commands.sender.ts'
import type { CommandStates } from './commands.ts'
import type { CommandTransport } from './transport.ts'

/** What a process with the role ingest does about commands: sends them, and looks after those without an answer. */
export interface CommandDelivery {
  start(): void
  /** After the commit of their answers. */
  answered(ids: readonly string[]): void
  /** Before the devices' connections are closed. */
  stop(): Promise<void>
}

export function createCommandDelivery(needs: {
  pool: pg.Pool
  notices: Pick<Notices, 'subscribe'>
  log: Log
  states: CommandStates
  transport: CommandTransport
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
