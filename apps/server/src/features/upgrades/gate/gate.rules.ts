// The alarm gate: whether the devices that a stage has upgraded raise more new alarms than chance explains. Why this
// rule and these numbers: docs/decisions/0016-the-alarm-gate.md; `npm run bench:gate` measures them.

import type { UpgradeGateFigures } from '@voltkeep/contract'

export type GateVerdict = Pick<
  UpgradeGateFigures,
  | 'passes'
  | 'verified'
  | 'alarmed'
  | 'allowed'
  | 'code'
  | 'windowHours'
  | 'expectedPercent'
  | 'beforePercent'
  | 'controlPercent'
>

/** Devices with a new alarm, of all codes or of one. */
export interface GateCounts {
  /** Upgraded devices with an alarm that is new since their upgrade. */
  alarmed: number
  /** Of `beforeWindows`, those in which an alarm began. */
  before: number
  /** Of `controlDevices`, those on which an alarm began within the window. */
  control: number
}

/** The figures of one stage at one moment. */
export interface GateFigures {
  /** Devices whose upgrade was verified, and whose restart is over. */
  verified: number
  /** How long the first of them has been observed, within the bounds of `gateWindow`. */
  windowHours: number
  /** How many spans of `windowHours` the same devices lived through before their upgrade. */
  beforeWindows: number
  /** Devices of the task that are online and not upgraded yet: they show what happens to all devices. */
  controlDevices: number
  all: GateCounts
  /** Codes that upgraded devices raised. */
  codes: readonly (GateCounts & { code: string })[]
}

/** The spans of the figures. */
export interface GateWindow {
  /**
   * The shortest span that a stage is judged by, however short it has run: the gate judges each minute, and each time
   * would otherwise be one more chance of a false alarm.
   */
  leastHours: number
  mostHours: number
  /** How far the time before the upgrade reaches back. */
  beforeHours: number
  /** An alarm that is over so soon after the verification belongs to the restart, and is not counted. */
  settleMinutes: number
}

export const gateWindow: GateWindow = { leastHours: 0.5, mostHours: 24, beforeHours: 24, settleMinutes: 5 }

export interface GateRule {
  /** The probability of more alarms than allowed though the image is good. */
  error: number
  /** The share of `error` that goes to looking at each code by itself; 0 looks at all alarms together only. */
  codeShare: number
  /**
   * A comparison counts as at most this many trials: more of them give a rate that may no longer apply in the next
   * hour.
   */
  trialsLimit: number
  /** Fewer untouched devices are not used for the comparison: a single one with an alarm would allow anything. */
  leastControl: number
  /** Fewer alarmed devices never pause a stage, unless it is all that was upgraded. */
  leastAlarmed: number
}

export const gateRule: GateRule = {
  error: 0.02,
  codeShare: 0.5,
  trialsLimit: 300,
  leastControl: 10,
  leastAlarmed: 2,
}

/** A soak that is shorter than ten minutes leaves half of it to the restart. */
export function settleMinutes(soakMinutes: number | null): number {
  return Math.min(gateWindow.settleMinutes, soakMinutes === null ? Number.POSITIVE_INFINITY : soakMinutes / 2)
}

/**
 * Passes where no more devices have a new alarm than either comparison predicts: the same devices before their upgrade,
 * and devices not upgraded yet at the same time. The verdict is the one of all alarms, or of the code that is most in
 * excess.
 */
export function judgeAlarms(figures: GateFigures, rule: GateRule = gateRule): GateVerdict {
  const ofAll = verdictOf(figures, { ...figures.all, code: null }, rule.error * (1 - rule.codeShare), rule)
  if (!ofAll.passes || rule.codeShare === 0) return ofAll
  const error = (rule.error * rule.codeShare) / Math.max(1, figures.codes.length)
  const least = leastPausing(figures, rule)
  const failed = figures.codes
    .filter(({ alarmed }) => alarmed >= least)
    .map((counts) => verdictOf(figures, counts, error, rule))
    .filter(({ passes }) => !passes)
    .sort((one, other) => other.alarmed - other.allowed - (one.alarmed - one.allowed))
  return failed[0] ?? ofAll
}

function verdictOf(
  figures: GateFigures,
  { alarmed, before, control, code }: GateCounts & { code: string | null },
  error: number,
  rule: GateRule,
): GateVerdict {
  const { verified, windowHours, beforeWindows, controlDevices } = figures
  const among = { size: verified, error, limit: rule.trialsLimit }
  const isControlled = controlDevices >= rule.leastControl
  const allowed = Math.max(
    leastPausing(figures, rule) - 1,
    allowedDevices(before, beforeWindows, among),
    isControlled ? allowedDevices(control, controlDevices, among) : 0,
  )
  const beforePercent = percent(before, beforeWindows)
  const controlPercent = isControlled ? percent(control, controlDevices) : null
  return {
    passes: alarmed <= allowed,
    verified,
    alarmed,
    allowed,
    code,
    windowHours,
    expectedPercent: Math.max(beforePercent, controlPercent ?? 0),
    beforePercent,
    controlPercent,
  }
}

const leastPausing = ({ verified }: GateFigures, { leastAlarmed }: GateRule) =>
  Math.max(1, Math.min(leastAlarmed, verified))

const percent = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : 0)

/**
 * The least k such that more than k of `size` devices have an alarm with a probability of at most `error`, where
 * `events` of `trials` comparable ones had one. The rate itself is uncertain, so the distribution is the
 * beta-binomial one (Jeffreys' prior); for infinitely many trials it would be the binomial one.
 */
export function allowedDevices(
  events: number,
  trials: number,
  { size, error, limit }: { size: number; error: number; limit: number },
): number {
  const weight = trials > limit ? limit / trials : 1
  const alarmed = events * weight + 0.5
  const calm = (trials - events) * weight + 0.5
  // From the top down: small terms are summed first, and the sum is the tail itself, not 1 minus something.
  let term = 0
  for (let n = 0; n < size; n += 1) term += Math.log((alarmed + n) / (alarmed + calm + n))
  let tail = 0
  for (let k = size; k > 0; k -= 1) {
    tail += Math.exp(term)
    if (tail > error) return k
    term += Math.log((k * (calm + size - k)) / ((size - k + 1) * (alarmed + k - 1)))
  }
  return 0
}
