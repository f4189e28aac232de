import { useQueryClient } from '@tanstack/react-query'
import { type DeviceRow, listDevices, readDevice } from '@voltkeep/contract/devices'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useLive } from '../../lib/live/live.ts'
import { keyOf } from '../../lib/wire/reading.ts'
import type { List } from '../../ui/list/useList.ts'

/** A burst of alarms is one reading. */
const gatherMs = 1_500

/**
 * The page's rows with their online states as they change. Counts of alarms are the server's: where an
 * alarm of a row changed, the page is read again, in place.
 */
export function useLiveDevices(list: List<typeof listDevices.input, DeviceRow>): DeviceRow[] {
  const [online, setOnline] = useState<ReadonlyMap<string, 0 | 1>>(new Map())
  const readAgain = useGathered()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reading has the states
  useEffect(() => setOnline(new Map()), [list.readAtMs])
  useLive((event) => {
    if (event.type === 'devices') {
      setOnline(
        (current) => new Map([...current, ...event.rows.map((row) => [row.id, row.isOnline] as const)]),
      )
    } else if (event.type === 'alarms') {
      const shown = new Set(list.rows.map(({ id }) => id))
      if (event.rows.some(({ equipId }) => shown.has(equipId))) readAgain()
    } else if (event.type === 'missed') readAgain()
  })
  return useMemo(
    () =>
      list.rows.map((row) => {
        const isOnline = online.get(row.id)
        return isOnline === undefined || isOnline === row.isOnline ? row : { ...row, isOnline }
      }),
    [list.rows, online],
  )
}

/** Calls back, once for a burst. */
function useGathered(): () => void {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void client.invalidateQueries({ queryKey: keyOf(listDevices) })
    }, gatherMs)
  }
}

/** Reads one device again when it comes, goes, or one of its alarms changes. */
export function useLiveDevice(id: string, onAlarm: () => void): void {
  const client = useQueryClient()
  useLive((event) => {
    const hasMoved = event.type === 'devices' && event.rows.some((row) => row.id === id)
    const hasAlarm = event.type === 'alarms' && event.rows.some((row) => row.equipId === id)
    if (event.type === 'missed' || hasMoved || hasAlarm) {
      void client.invalidateQueries({ queryKey: keyOf(readDevice) })
    }
    if (event.type === 'missed' || hasAlarm) onAlarm()
  })
}
