// When a shelf is in force, from the form that asks for it.
import {
  type insertAlarmShelf,
  type ParsedInputFor,
  shelfMinutes,
  shelfMinutesAtMost,
  shelfMinutesLong,
  shelfMinutesOfFire,
  windowDaysAtMost,
  windowDaysBefore,
} from '@voltkeep/contract'
import { endMoment } from '../../../platform/process/clock.ts'
import { isTimeZone, wallMs } from '../../../platform/process/clocks/zone-clock.ts'
import { lastEnd, nextSpans, type WindowTimes } from './shelf-times.rules.ts'

export type ShelfForm = Omit<ParsedInputFor<typeof insertAlarmShelf>, 'reason'> & {
  reason?: string | undefined
}

export interface PlannedTimes {
  startAt: Date
  endAt: Date | null
  window: WindowTimes | null
}

interface Problem {
  field: string
  message: string
}

const minuteMs = 60_000

/** The times that the form asks for, or what is wrong with them. */
export function timesOf(
  form: ShelfForm,
  { isOfFire, now, zone }: { isOfFire: boolean; now: Date; zone: string },
): PlannedTimes | Problem {
  switch (form.kind) {
    case 'outOfService':
      return { startAt: now, endAt: null, window: null }
    case 'maintenance':
      return windowTimesOf(form, now, zone)
    case 'shelve': {
      const minutes =
        form.minutes ??
        (isOfFire ? shelfMinutesOfFire : form.isOneShot === 1 ? shelfMinutesAtMost : shelfMinutes)
      const endAt =
        form.endTime === undefined ? new Date(now.getTime() + minutes * minuteMs) : endMoment(form.endTime)
      const field = form.endTime === undefined ? 'minutes' : 'endTime'
      if (endAt <= now) return { field, message: '结束时间须晚于现在' }
      const lastsMs = endAt.getTime() - now.getTime()
      if (isOfFire && lastsMs > shelfMinutesOfFire * minuteMs)
        return { field, message: `火情告警最长搁置 ${shelfMinutesOfFire} 分钟` }
      if (lastsMs > shelfMinutesLong * minuteMs)
        return { field, message: `最长搁置 ${shelfMinutesLong / 1_440} 天` }
      return { startAt: now, endAt, window: null }
    }
  }
}

/** The times of a window, or what is wrong with them. One that is changed may begin when it did, however long ago. */
export function windowTimesOf(
  form: Pick<ShelfForm, 'startTime' | 'endTime' | 'repeat' | 'timeZone'>,
  now: Date,
  zone: string,
  before?: { startLocal: string | null; timeZone: string | null },
): (PlannedTimes & { window: WindowTimes }) | Problem {
  const timeZone = form.timeZone ?? zone
  if (!isZone(timeZone)) return { field: 'timeZone', message: '时区应为 IANA 名称，如 Asia/Shanghai' }
  const startLocal = wallTextOf(form.startTime ?? '', false)
  const endLocal = wallTextOf(form.endTime ?? '', true)
  const lastsMs = wallMs(endLocal) - wallMs(startLocal)
  if (lastsMs <= 0) return { field: 'endTime', message: '结束时间须晚于开始时间' }
  if (lastsMs > windowDaysAtMost * 86_400_000)
    return { field: 'endTime', message: `一次维护最长 ${windowDaysAtMost} 天` }
  const window = { timeZone, startLocal, endLocal, repeat: form.repeat ?? null }
  const [first] = nextSpans(window, new Date(wallMs(startLocal) - 2 * 86_400_000), 1)
  const endAt = lastEnd(window)
  if (!first || (endAt && endAt <= now) || nextSpans(window, now, 1).length === 0)
    return { field: 'endTime', message: '该窗口不会再出现' }
  const isKept = before?.startLocal === startLocal && before.timeZone === timeZone
  if (!isKept && now.getTime() - first.from.getTime() > windowDaysBefore * 86_400_000)
    return { field: 'startTime', message: `开始时间不能早于 ${windowDaysBefore} 天前` }
  return { startAt: first.from, endAt, window }
}

/** A bare date begins with its midnight, and ends with that of the next day. */
function wallTextOf(text: string, isEnd: boolean): string {
  if (text.length > 10) return text.replace('T', ' ')
  const day = new Date(Date.parse(`${text}T00:00:00Z`) + (isEnd ? 86_400_000 : 0))
  return `${day.toISOString().slice(0, 10)} 00:00:00`
}

/** Of the names that Intl takes, those of the zones' own form alone: `+08:00` and `CST` are read differently elsewhere. */
const isZone = (name: string): boolean =>
  (name === 'UTC' || /^[A-Z][A-Za-z]+\/[A-Z]/.test(name)) && isTimeZone(name)
