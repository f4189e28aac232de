// How the cabinets' answers to commands change deliveries. Runs in the transaction that ends the commands.

import { kyselyOn } from '../../platform/database/statements.ts'
import type { FinishedCommand, LateAnswer } from '../../platform/devices/commands/commands.moves.ts'
import type { CommandResultHandler } from '../../platform/devices/commands/commands.ts'
import type { DeliveryEvent } from './advertisements.states.ts'
import { move } from './deliveries.moves.ts'
import { type MovingDelivery, ofCommands } from './deliveries.queries.ts'

/** Only the newest command of a delivery counts: the result of an older one says nothing about now. */
export function createResultHandler(
  topic: 'advertise' | 'withdraw',
  tellChanged: (deliveries: readonly MovingDelivery[]) => void,
): CommandResultHandler {
  return {
    async finished(connection, commands) {
      const byCommand = new Map(commands.map((command) => [command.id, command]))
      const moved = await move(kyselyOn(connection), ofCommands([...byCommand.keys()]), ({ commandId }) =>
        eventOf(byCommand.get(commandId as string) as FinishedCommand),
      )
      return () => tellChanged(moved)
    },

    /** A late answer that says that the cabinet has the file counts like the cabinet's own list. */
    async late(connection, answers) {
      const done = answers.filter(({ outcome }) => topic === 'advertise' && outcome === 'done')
      const moved = await move(kyselyOn(connection), ofCommands(done.map(({ id }: LateAnswer) => id)), () => {
        const nowMs = Date.now()
        return {
          kind: 'reported',
          kept: 'stored',
          reportedAtMs: nowMs,
          clockLimitMs: null,
          isOver: false,
          nowMs,
          jitter: Math.random(),
        }
      })
      return () => tellChanged(moved)
    },
  }
}

function eventOf({ result, outcome, reason, attempts }: FinishedCommand): DeliveryEvent | null {
  const nowMs = Date.now()
  const jitter = Math.random()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'done' }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs, jitter }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    case 'expired':
      return { kind: 'expired', wasSent: attempts > 0, nowMs, jitter }
    // By the withdrawal of the delivery, which has moved on already.
    case 'cancelled':
      return null
  }
}
