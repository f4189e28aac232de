// Actions as work on devices: their table, what shows that a restart has happened, and the end of the wait for a report.
import type { RemoteAction, RemoteActionState } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { deviceWork, type QueueNeeds } from '../../domain/device-work/device-work.ts'
import { ofIds, type WorkRow } from '../../domain/device-work/work.queries.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import { type ActionEvent, type ActionState, actionAfter } from './actions.states.ts'

/** An action with what its moves need. */
export interface MovingAction extends ActionState, WorkRow {
  state: RemoteActionState
  action: RemoteAction
  compartment: number | null
  createdAtMs: number
}

/** The device went offline after the command, and is there again. */
export const isRestarted = sql<SqlBool>`(t.action = 'restart' AND t.state = 'acknowledged' AND EXISTS (
  SELECT FROM device_connection g
  WHERE g.device_id = t.device_id AND NOT g.is_online AND g.at >= t.created_at
    AND EXISTS (
      SELECT FROM device_connection b
      WHERE b.device_id = t.device_id AND b.is_online AND (b.at, b.id) > (g.at, g.id))))`

export const actions = deviceWork<MovingAction, ActionEvent>({
  name: 'remote_action',
  columns: {
    answeredAtMs: ['answered_at', 'ms'],
    shownAtMs: ['shown_at', 'ms'],
  },
  reads: sql`, t.action, t.compartment, (extract(epoch FROM t.created_at) * 1000)::float8 AS "createdAtMs"`,
  isOpen: sql<SqlBool>`t.state IN ('sent', 'acknowledged')`,
  hasCommand: sql<SqlBool>`t.state = 'sent'`,
  isVerified: isRestarted,
  after: actionAfter,
})

/** Ends the wait for a report; what was missed of connections is found here. */
export const createActionQueue = (needs: QueueNeeds<MovingAction>): Worker =>
  actions.queue(needs, {
    leaseMs: 30_000,
    async read(trx, rows, nowMs) {
      const restarted = await actions.listVerified(trx, ofIds(rows.map(({ id }) => id)), rows.length)
      return { restarted: new Set(restarted.map(({ id }) => id)), nowMs }
    },
    eventsOf: ({ id }, { restarted, nowMs }) =>
      restarted.has(id) ? { kind: 'shown', atMs: nowMs } : { kind: 'due', nowMs },
    commandOf: () => null,
  })
