import { formatDateTime } from '@voltkeep/contract/fields'
import { readWireTime } from '../../lib/format.ts'

interface Shift {
  startTime: string
  endTime: string
}

const hourMs = 3_600_000
/** Where nothing is known, a day has two shifts, from 8 and from 20 o'clock. */
const usualStart = 8
const usualHours = 12
/** A shift that ends sooner or has ended later than this is not the one that is handed over. */
const endsWithinMs = usualHours * hourMs
const endedWithinMs = 2 * hourMs

/** The shift that is probably handed over now: the one that follows `last`, and lasts as long. */
export function presentShift(now: Date, last?: Shift): Shift {
  return after(now, last) ?? usual(now)
}

function after(now: Date, last: Shift | undefined): Shift | undefined {
  const began = last && readWireTime(last.startTime)
  const from = last && readWireTime(last.endTime)
  if (!began || !from || from > now) return undefined
  const to = new Date(2 * from.getTime() - began.getTime())
  const aheadMs = to.getTime() - now.getTime()
  if (aheadMs > endsWithinMs || aheadMs < -endedWithinMs) return undefined
  return { startTime: last.endTime, endTime: formatDateTime(to) }
}

function usual(now: Date): Shift {
  const at = (hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour)
  const hour = now.getHours()
  const start =
    hour < usualStart
      ? usualStart - usualHours
      : hour < usualStart + usualHours
        ? usualStart
        : usualStart + usualHours
  return { startTime: formatDateTime(at(start)), endTime: formatDateTime(at(start + usualHours)) }
}
