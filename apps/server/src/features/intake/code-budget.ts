// How many alarms one device may have open, and how many codes it may use that the dictionary does not define.

import type { IntakeReason } from '@voltkeep/contract'
import type { ThrottleReason } from '@voltkeep/contract/devices'

export interface CodeLimits {
  openAlarms: number
  unknownCodes: number
}

/** One alarm code of a device in the database, and whether the alarm is open. */
export interface StandingAlarm {
  code: string
  isOpen: boolean
}

export interface CodeBudget {
  /** Why a report of this code is refused; null where it is accepted. `value` null: an event. */
  refusal(deviceId: number, code: string, value: number | null): CodeRefusal | null
  /** Called when the dictionary has changed. */
  definitionsChanged(): void
  close(): void
}

export interface CodeRefusal {
  reason: Extract<IntakeReason, 'tooManyAlarms' | 'tooManyCodes'>
  detail: string
}

/** The number accepted before the database is asked which alarms the device has. */
const takenUnasked = 64
/** Users recover alarms by hand: at the limit the database is asked again, not more often than this. */
const askAgainMs = 10_000
/** A mark stays so long after the last refusal. */
const markMs = 600_000
const forgetAfterMs = 3_600_000
const sweepMs = 600_000
const mostRead = 10_000
const definitionsFreshMs = 300_000

interface Used {
  open: Set<string>
  unknown: Set<string>
  askedAtMs: number | null
  /** `open` has all open alarms of the device. */
  isWhole: boolean
  heardAtMs: number
}

/**
 * Counts in memory what devices report, and queries the database only for the few that report many codes. So after a
 * start a device may exceed the limit a little. A report of an alarm that is open, and a recovery, are always accepted.
 */
export function createCodeBudget({
  limits,
  readDefined,
  readStanding,
  throttle,
  complain,
}: {
  limits: CodeLimits
  /** The codes that the dictionary defines. */
  readDefined(): Promise<ReadonlySet<string>>
  readStanding(deviceId: number, most: number): Promise<StandingAlarm[]>
  throttle(deviceId: number, reason: ThrottleReason, forMs: number): void
  complain(error: unknown): void
}): CodeBudget {
  const devices = new Map<number, Used>()
  /** Null until it is known: then no code counts as unknown. */
  let defined: ReadonlySet<string> | null = null

  const define = () =>
    void readDefined().then((codes) => {
      defined = codes
    }, complain)
  define()
  const definitionsTimer = setInterval(define, definitionsFreshMs)
  const sweepTimer = setInterval(() => {
    const before = performance.now() - forgetAfterMs
    for (const [deviceId, { heardAtMs }] of devices) if (heardAtMs < before) devices.delete(deviceId)
  }, sweepMs)

  function ask(deviceId: number, used: Used): void {
    used.askedAtMs = performance.now()
    readStanding(deviceId, mostRead).then((standing) => {
      // The open ones come first.
      used.isWhole = standing.length < mostRead || standing.at(-1)?.isOpen === false
      // Alarms accepted while the database answered may be missing in the answer; they come with the next report.
      used.open = new Set(standing.filter(({ isOpen }) => isOpen).map(({ code }) => code))
      used.unknown = new Set([...used.unknown, ...standing.map(({ code }) => code).filter(isUnknown)])
    }, complain)
  }
  const isUnknown = (code: string) => defined !== null && !defined.has(code)
  const refuse = (deviceId: number, mark: 'alarms' | 'codes'): CodeRefusal => {
    throttle(deviceId, mark, markMs)
    return mark === 'alarms'
      ? { reason: 'tooManyAlarms', detail: `一台设备最多同时有 ${limits.openAlarms} 条当前告警` }
      : { reason: 'tooManyCodes', detail: `一台设备最多使用 ${limits.unknownCodes} 个字典中没有的编码` }
  }

  return {
    refusal(deviceId, code, value) {
      let used = devices.get(deviceId)
      if (!used) {
        used = { open: new Set(), unknown: new Set(), askedAtMs: null, isWhole: false, heardAtMs: 0 }
        devices.set(deviceId, used)
      }
      used.heardAtMs = performance.now()
      const { open, unknown } = used
      if (value === 0 && open.delete(code)) return null
      if (value !== null && open.has(code)) return null
      const isNew = isUnknown(code) && !unknown.has(code)
      const isFull = value !== null && value > 0 && open.size >= limits.openAlarms
      const isOver = isFull || (isNew && unknown.size >= limits.unknownCodes)
      const many = open.size + unknown.size >= takenUnasked
      const isDue = used.askedAtMs === null ? many : isOver && used.heardAtMs - used.askedAtMs > askAgainMs
      if (isDue) ask(deviceId, used)
      // A recovery of an unknown alarm adds a code; one that may belong to an open alarm is accepted.
      if (value === 0 && !(isOver && used.isWhole)) {
        if (isNew) unknown.add(code)
        return null
      }
      if (isFull) return refuse(deviceId, 'alarms')
      if (isOver) return refuse(deviceId, 'codes')
      if (isNew) unknown.add(code)
      if (value !== null) open.add(code)
      return null
    },
    definitionsChanged: define,
    close() {
      clearInterval(definitionsTimer)
      clearInterval(sweepTimer)
    },
  }
}
