// What cabinets' answers to commands are to deliveries.

import type { FinishedCommand, LateAnswer } from '../../platform/devices/commands/commands.moves.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { DeliveryEvent } from './advertisements.states.ts'

/** A late answer that says that the cabinet has the file counts like the cabinet's own list. */
export function eventOfLate({ topic, outcome }: LateAnswer): DeliveryEvent | null {
  if (topic !== 'advertise' || outcome !== 'done') return null
  const nowMs = sharedNowMs()
  return {
    kind: 'reported',
    kept: 'stored',
    reportedAtMs: nowMs,
    clockLimitMs: null,
    isOver: false,
    nowMs,
    jitter: Math.random(),
  }
}

export function eventOf({ result, outcome, reason, attempts }: FinishedCommand): DeliveryEvent | null {
  const nowMs = sharedNowMs()
  const jitter = Math.random()
  switch (result) {
    case 'answered':
      return outcome === 'done'
        ? { kind: 'done' }
        : { kind: 'failed', reason: reason ?? '设备执行失败', nowMs, jitter }
    case 'refused':
      return { kind: 'refused', reason: reason ?? '设备拒绝执行' }
    case 'expired':
      return { kind: 'expired', wasSent: attempts > 0, nowMs, jitter }
    // By the withdrawal of the delivery, which has moved on already.
    case 'cancelled':
      return null
  }
}
