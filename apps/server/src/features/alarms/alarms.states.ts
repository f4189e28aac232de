/**
 * Every transition of an alarm, by a report or by a user. Pure: no clock, no database; times are milliseconds since
 * 1970, ids are given.
 *
 * A report that is as new as the newest one applied moves the current state (`stepOf`, `afterStep`); an older one never
 * does and only finds its place in the history (`placeLate`). A user can end an active alarm (`recoverByUser`).
 * semaphore-track.ts applies a batch of reports to one semaphore.
 */
import { isBeyondClock } from '../../platform/devices/ingest/reports.ts'

export interface AlarmReading {
  timeMs: number
  value: number
  /** The latest time that the clock of `timeMs` can show at present; null where the reading is late, or may be. */
  clockLimitMs: number | null
}

export interface EpisodeKey {
  id: number
  occurredAtMs: number
}

/** The newest state of one device's semaphore. */
export interface AlarmState {
  /** Its episode; null while the device has only ever reported 0. */
  episode: EpisodeKey | null
  isActive: boolean
  value: number
  /** Time of the newest report applied. */
  reportedAtMs: number
  recoveredAtMs: number | null
  recoveryMethod: RecoveryMethod | null
}

export const recoveredByDevice = 1
export const recoveredByUser = 2
export type RecoveryMethod = typeof recoveredByDevice | typeof recoveredByUser

export type AlarmStep = 'opens' | 'continues' | 'recovers' | 'staysQuiet' | 'isLate'

/**
 * The state as these readings find it. Where its newest report is later than the device's clock can be at present, the
 * clock was ahead and has been set back: that report counts as older than theirs, or the alarm would stay as it is until
 * the clock has caught up.
 */
export function asSeenBy(state: AlarmState, readings: readonly AlarmReading[]): AlarmState {
  let { reportedAtMs } = state
  for (const { timeMs, clockLimitMs } of readings) {
    if (isBeyondClock(state.reportedAtMs, clockLimitMs)) reportedAtMs = Math.min(reportedAtMs, timeMs)
  }
  return reportedAtMs === state.reportedAtMs ? state : { ...state, reportedAtMs }
}

/** Of equal times the order of arrival decides: a zero within the same millisecond recovers. */
export function stepOf(state: AlarmState | null, { timeMs, value }: AlarmReading): AlarmStep {
  if (state && timeMs < state.reportedAtMs) return 'isLate'
  if (value > 0) return state?.isActive ? 'continues' : 'opens'
  return state?.isActive ? 'recovers' : 'staysQuiet'
}

/** The state after a step other than a late one. `newId` names the episode that an opening step begins. */
export function afterStep(
  state: AlarmState | null,
  step: Exclude<AlarmStep, 'isLate'>,
  { timeMs, value }: AlarmReading,
  newId: number,
): AlarmState {
  switch (step) {
    case 'opens':
      return {
        episode: { id: newId, occurredAtMs: timeMs },
        isActive: true,
        value,
        reportedAtMs: timeMs,
        recoveredAtMs: null,
        recoveryMethod: null,
      }
    case 'continues':
      return { ...(state as AlarmState), value, reportedAtMs: timeMs }
    case 'recovers':
      return {
        ...(state as AlarmState),
        isActive: false,
        value: 0,
        reportedAtMs: timeMs,
        // An episode that began by a clock that was ahead ends as it begins.
        recoveredAtMs: Math.max(timeMs, state?.episode?.occurredAtMs ?? timeMs),
        recoveryMethod: recoveredByDevice,
      }
    case 'staysQuiet':
      return {
        episode: state?.episode ?? null,
        isActive: false,
        value: 0,
        reportedAtMs: timeMs,
        recoveredAtMs: state?.recoveredAtMs ?? null,
        recoveryMethod: state?.recoveryMethod ?? null,
      }
  }
}

/**
 * The state after a user has declared the episode over; null when it is over already, as every episode but the
 * newest is. The time of the newest report stays: the device's next report may open the alarm again. A device
 * whose clock is ahead may have reported an alarm that begins after `nowMs`: such an episode ends as it begins.
 */
export function recoverByUser(state: AlarmState | null, episodeId: number, nowMs: number): AlarmState | null {
  if (!state?.isActive || state.episode?.id !== episodeId) return null
  return {
    ...state,
    isActive: false,
    value: 0,
    recoveredAtMs: Math.max(nowMs, state.episode.occurredAtMs),
    recoveryMethod: recoveredByUser,
  }
}

/** `[ms, value]` */
export type LateReport = [number, number]

/** An episode as the history knows it. Only late reports begin one whose end is inferred. */
export interface Episode extends EpisodeKey {
  recoveredAtMs: number | null
  /** Null beside a recoveredAtMs: the recovery was not reported, a later report implies it. */
  recoveryMethod: RecoveryMethod | null
  /** Oldest arrival first. Null: none, or not read. */
  lateReports: LateReport[] | null
}

/** The history row of an episode, without its device. */
export interface EpisodeRow extends Episode {
  firstValue: number
  /** The last value other than zero: the row still says what was wrong after the recovery. */
  value: number
}

export type LatePlace<E extends Episode> =
  /** Belongs to that episode, and changes neither its value nor its end. */
  | { kind: 'inside'; episode: E }
  /** Belongs to that episode, and is the newest value that it had. */
  | { kind: 'continues'; episode: E }
  /** Tells when that earlier episode really ended. */
  | { kind: 'ends'; episode: E }
  /** An episode of its own, over at the latest when the next thing known happened. */
  | { kind: 'apart'; recoveredAtMs: number }
  /** The device reported 0 at a time of which nothing else was known. */
  | { kind: 'nowhere' }

/**
 * Where a late report belongs. `episodes` are the semaphore's, earliest first, as far as they can matter:
 * the last one that began before the report, and those after it. `state` is the current one, which is newer
 * than the report.
 */
export function placeLate<E extends Episode>(
  { timeMs, value }: AlarmReading,
  episodes: readonly E[],
  state: AlarmState,
): LatePlace<E> {
  const nextIndex = episodes.findIndex(({ occurredAtMs }) => occurredAtMs > timeMs)
  const last = episodes.at(nextIndex === -1 ? -1 : nextIndex - 1)
  const next = nextIndex === -1 ? undefined : episodes[nextIndex]
  const around =
    nextIndex !== 0 && last && (last.recoveredAtMs === null || timeMs <= last.recoveredAtMs)
      ? last
      : undefined
  if (!around) {
    if (value === 0) return { kind: 'nowhere' }
    return { kind: 'apart', recoveredAtMs: next?.occurredAtMs ?? state.reportedAtMs }
  }
  const isEndReported = around.recoveredAtMs !== null && around.recoveryMethod !== null
  const isCurrent = state.isActive && state.episode?.id === around.id
  if (isEndReported || isCurrent) return { kind: 'inside', episode: around }
  if (value === 0) return { kind: 'ends', episode: around }
  // Of an episode that only late reports tell of, the time of its value is known.
  const isNewest = around.recoveredAtMs !== null && timeMs >= newestOf(around)
  return { kind: isNewest ? 'continues' : 'inside', episode: around }
}

const newestOf = ({ occurredAtMs, lateReports }: Episode) =>
  Math.max(occurredAtMs, ...(lateReports ?? []).map(([timeMs]) => timeMs))
