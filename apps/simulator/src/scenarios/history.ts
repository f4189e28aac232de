// Fills the past: what devices of the demo would have reported in the days before they were switched on.
import type { Cabinet } from '../cabinet/cabinet.ts'
import { alarmKinds, alarmValueOf, eventOf, statusOf } from '../firmware.ts'
import { texts } from '../texts.ts'
import { identityOf, pause, type Stage } from './stage.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const alarmsPerDay = 3
const eventsPerDay = 12
/** How often each device reported its status; less often in a large fleet, which has no more reports than these in all. */
const statusEveryMs = 30 * minuteMs
const mostStatusReports = 100_000
/** Unacknowledged reports at once, over the whole fleet. */
const backlogLimit = 2_000

interface PastReport {
  at: number
  send(options: { at: number; id: string }): Promise<unknown>
}

/**
 * Reports the last `days` days with past times, as a fleet does that was offline. The reports of a device are in the
 * order of their times, and the last one is five minutes old, so that no alarm is open afterwards. The ids are the same
 * in every run, so that an interrupted run can be started again.
 */
export async function backFill(stage: Stage, days: number): Promise<void> {
  const { fleet, signal, say } = stage
  const until = Date.now() - 5 * minuteMs
  let count = 0
  for (const device of fleet.devices) {
    const random = stage.random.fork(`${device.code}/history`)
    const { classify } = identityOf(stage, device)
    const reports: PastReport[] = []
    const from = until - days * dayMs
    for (const kind of alarmKinds[classify]) {
      // Severe alarms are rarer.
      const share = (kind.level + 1) / alarmKinds[classify].reduce((sum, { level }) => sum + level + 1, 0)
      let at = from + random.gap(dayMs / (alarmsPerDay * share))
      while (at < until) {
        const value = alarmValueOf(kind, random)
        const endsAt = Math.min(until, at + minuteMs + random.gap(kind.meanMinutes * minuteMs))
        reports.push(
          { at, send: (options) => device.report('alarm', { code: kind.code, value }, options) },
          { at: endsAt, send: (options) => device.report('alarm', { code: kind.code, value: 0 }, options) },
        )
        at = endsAt + random.gap(dayMs / (alarmsPerDay * share))
      }
    }
    for (
      let at = from + random.gap(dayMs / eventsPerDay);
      at < until;
      at += random.gap(dayMs / eventsPerDay)
    ) {
      const body = eventOf(classify, random)
      reports.push({ at, send: (options) => device.report('event', body, options) })
    }
    reports.sort((one, other) => one.at - other.at)
    for (const [index, { at, send }] of reports.entries()) void send({ at, id: `history-${index}` })
    count += reports.length
    while (fleet.outboxSize > backlogLimit && !signal.aborted) await pause(20, signal)
    if (signal.aborted) return
  }
  count += await backFillStatus(stage, until - days * dayMs, until)
  while (fleet.outboxSize > 0 && !signal.aborted) await pause(50, signal)
  say(texts.backFilled(days, count))
}

/**
 * What devices measured meanwhile. The batteries move in the order of time over all cabinets, so this goes from moment to
 * moment and not from device to device. Returns how many reports there were.
 */
async function backFillStatus(stage: Stage, from: number, until: number): Promise<number> {
  const { fleet, signal, statusSeconds } = stage
  if (statusSeconds === 0) return 0
  const random = stage.random.fork('history of status')
  const stepMs = Math.max(statusEveryMs, ((until - from) * fleet.devices.length) / mostStatusReports)
  let count = 0
  for (let step = 0; from + step * stepMs < until && !signal.aborted; step += 1) {
    const at = Math.round(from + step * stepMs)
    for (const device of fleet.devices) {
      const { cabinet } = device
      if (cabinet) swapUnseen(stage, cabinet, at)
      const then = { cabinet, alarms: new Map<string, number>(), now: () => at }
      const body = statusOf(then, identityOf(stage, device), random)
      void device.report('status', body, { at, id: `history-status-${step}` })
      count += 1
    }
    while (fleet.outboxSize > backlogLimit && !signal.aborted) await pause(20, signal)
  }
  return count
}

/** Riders came since the step before: many by day, few at night. */
function swapUnseen({ batteries, random }: Stage, cabinet: Cabinet, at: number): void {
  const hour = (at / (60 * minuteMs) + 8) % 24
  const most = hour < 6 ? 1 : hour < 9 ? 4 : 7
  for (let swaps = random.between(0, most); swaps > 0; swaps -= 1) {
    const found = cabinet.swapAt(at)
    if (!found) return
    cabinet.put(found.into, batteries.bringBack(), at)
    const taken = cabinet.take(found.from, at)
    if (taken) batteries.take(taken)
  }
}
