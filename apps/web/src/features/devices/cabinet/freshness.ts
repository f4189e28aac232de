import type { DeviceRow } from '@voltkeep/contract/devices'
import { readWireTime } from '../../../lib/format.ts'

/** Devices report at least every few minutes; after so long the report tells of the past. */
const oldMs = 30 * 60_000

/** How far a report may be taken for the present: `away` offline, `old` online but silent, `never` without a report. */
export type Freshness = 'fresh' | 'old' | 'away' | 'never'

export function freshnessOf({
  device: { isOnline, onlineChangedTime },
  reportTime,
  now,
}: {
  device: Pick<DeviceRow, 'isOnline' | 'onlineChangedTime'>
  reportTime: string | null
  now: Date
}): Freshness {
  if (onlineChangedTime === null) return 'never'
  if (isOnline === 0) return 'away'
  const at = reportTime === null ? undefined : readWireTime(reportTime)
  return at !== undefined && now.getTime() - at.getTime() > oldMs ? 'old' : 'fresh'
}
