/**
 * What devices' reports show of actions that are under way. In the transaction that acknowledges the reports, since a
 * door that was open for a few seconds is in one report alone.
 */
import { type SqlBool, sql } from 'kysely'
import { ofDevices } from '../../domain/device-work/work.queries.ts'
import { kyselyOn } from '../../platform/database/statements.ts'
import type { StatusConsumer } from '../../platform/devices/ingest/reports.ts'
import { listDevicesWithOpen } from './actions.queries.ts'
import { clockToleranceMs, isShownBy, madeAtMs } from './actions.rules.ts'
import { actions, type MovingAction } from './actions.work.ts'

/** Reads status reports for what they show of actions. */
export const createActionEvidence = (
  tellChanged: (actions: readonly MovingAction[]) => void,
): StatusConsumer => ({
  name: 'actions',
  async write(connection, reports) {
    const byDevice = Map.groupBy(reports, ({ deviceId }) => deviceId)
    const devices = await listDevicesWithOpen(connection, [...byDevice.keys()])
    if (devices.length === 0) return undefined
    const open = sql<SqlBool>`${ofDevices(devices)} AND t.state IN ('sent', 'acknowledged')`
    const moved = await actions.move(kyselyOn(connection), open, (action) => {
      for (const report of byDevice.get(action.deviceId) ?? []) {
        const atMs = madeAtMs(report)
        if (atMs === null || atMs + clockToleranceMs < action.createdAtMs) continue
        if (isShownBy(action, report.payload.compartments)) return { kind: 'shown', atMs }
      }
      return null
    })
    return moved.length === 0 ? undefined : () => tellChanged(moved)
  },
})
