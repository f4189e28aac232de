import { alarmKinds, alarmValueOf, eventOf } from '../firmware.ts'
import { texts } from '../texts.ts'
import { identityOf, pause, type Stage } from './stage.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const alarmsPerDay = 3
const eventsPerDay = 12
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
  while (fleet.outboxSize > 0 && !signal.aborted) await pause(50, signal)
  say(texts.backFilled(days, count))
}
