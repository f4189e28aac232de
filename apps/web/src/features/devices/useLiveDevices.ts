import { useQueryClient } from '@tanstack/react-query'
import {
  type DeviceRow,
  type listDevices,
  liveDeviceParameters,
  liveDevices,
  readDevice,
} from '@voltkeep/contract/devices'
import { concerns, useLiveReading } from '../../lib/live/live.ts'
import { keyOf } from '../../lib/wire/reading.ts'
import type { List } from '../../ui/list/useList.ts'
import { type LiveList, type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'

const options: LiveListOptions<DeviceRow> = {
  isChanged: (before, after) =>
    before.isOnline !== after.isOnline ||
    before.alarmCount !== after.alarmCount ||
    before.shelvedCount !== after.shelvedCount ||
    before.worstAlarmLevel !== after.worstAlarmLevel,
}

/** The page's rows with live updates: devices that connect, disconnect, are edited, or whose alarms change. */
export function useLiveDevices(list: List<typeof listDevices.input, DeviceRow>): LiveList<DeviceRow> {
  return useLiveList(list, liveDevices, options)
}

/**
 * Reads one device again when it connects, disconnects, is edited or reports parameters, or when one of its alarms
 * changes.
 */
export function useLiveDevice(id: string, onAlarm: () => void): void {
  const client = useQueryClient()
  useLiveReading(
    () => {
      onAlarm()
      return client.invalidateQueries({ queryKey: keyOf(readDevice) })
    },
    (event) => concerns(event, liveDevices.noun, id) || concerns(event, liveDeviceParameters.noun, id),
  )
}
