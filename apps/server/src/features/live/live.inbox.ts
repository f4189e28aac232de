/** What waits to be sent to one subscriber, newest state of each thing once, and never more than fits. */
export interface Inbox<AlarmRow, DeviceRow> {
  putAlarm(id: string, row: AlarmRow): void
  putDevice(id: number, row: DeviceRow): void
  /** More changed than is worth sending. */
  putMissed(): void
  /** Takes out what waits; null where nothing does. */
  take(): { alarms: AlarmRow[]; devices: DeviceRow[]; isMissed: boolean } | null
}

/**
 * A subscriber who reads slowly costs no more memory than this: what does not fit is dropped, and he is
 * told to read his list again.
 */
export function createInbox<AlarmRow, DeviceRow>(
  capacity: number,
  onPut: () => void,
): Inbox<AlarmRow, DeviceRow> {
  const alarms = new Map<string, AlarmRow>()
  const devices = new Map<number, DeviceRow>()
  let isMissed = false

  const overflow = () => {
    alarms.clear()
    devices.clear()
    isMissed = true
  }
  return {
    putAlarm(id, row) {
      // After a miss the list is read anyway.
      if (!isMissed) alarms.set(id, row)
      if (alarms.size + devices.size > capacity) overflow()
      onPut()
    },
    putDevice(id, row) {
      if (!isMissed) devices.set(id, row)
      if (alarms.size + devices.size > capacity) overflow()
      onPut()
    },
    putMissed() {
      overflow()
      onPut()
    },
    take() {
      if (alarms.size + devices.size === 0 && !isMissed) return null
      const taken = { alarms: [...alarms.values()], devices: [...devices.values()], isMissed }
      alarms.clear()
      devices.clear()
      isMissed = false
      return taken
    },
  }
}
