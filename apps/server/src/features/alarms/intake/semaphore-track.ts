// How a batch of reports changes one semaphore's state and episodes.

import {
  type AlarmReading,
  type AlarmState,
  afterStep,
  asSeenBy,
  type EpisodeRow,
  type LateReport,
  placeLate,
  recoveredByDevice,
  stepOf,
} from '../alarms.states.ts'
import { repeatWithinMs } from '../repeats/repeats.rules.ts'

const lateReportsKept = 50

/**
 * Pure: `begin` gives what the database knows, `applyAll` applies the reports, and `state`, `opened` and `changed` are
 * to be written.
 */
export class Track {
  readonly deviceId: number
  readonly code: string
  readonly readings: AlarmReading[] = []
  /** As read; null where the semaphore has no state yet. */
  before: AlarmState | null = null
  state: AlarmState | null = null
  readonly opened: EpisodeRow[] = []
  readonly changed = new Set<EpisodeRow>()
  /** The alarm has come again soon after it recovered. */
  isRepeat = false
  /** The earliest late report that began or ended an episode. */
  lateMs: number | null = null
  /** Those among which late reports find their place, earliest first. */
  #episodes: EpisodeRow[] = []
  #current: EpisodeRow | undefined

  constructor(deviceId: number, code: string) {
    this.deviceId = deviceId
    this.code = code
  }

  /** Puts the readings in order of time; those of one time stay in order of arrival. */
  sort(): void {
    if (this.readings.length > 1) this.readings.sort((a, b) => a.timeMs - b.timeMs)
  }

  /** The times of the readings that are older than the state, earliest first. To be asked after `sort`. */
  lateTimes(state: AlarmState | null): number[] {
    const [first] = this.readings
    if (state === null || first === undefined) return []
    const { reportedAtMs } = asSeenBy(state, this.readings)
    if (first.timeMs >= reportedAtMs) return []
    return this.readings.map(({ timeMs }) => timeMs).filter((timeMs) => timeMs < reportedAtMs)
  }

  /** `episodes` are needed only where readings are late, for each its neighbours: see `lateTimes` and `placeLate`. */
  begin(state: AlarmState | null, episodes: EpisodeRow[] = []): void {
    this.before = state
    this.state = state && asSeenBy(state, this.readings)
    this.#episodes = episodes
  }

  /** `takeId` returns the id of a new episode. */
  applyAll(takeId: () => number): void {
    for (const reading of this.readings) this.#apply(reading, takeId)
  }

  #apply(reading: AlarmReading, takeId: () => number): void {
    const step = stepOf(this.state, reading)
    if (step === 'isLate') {
      this.#applyLate(reading, takeId)
      return
    }
    const previous = this.state
    this.state = afterStep(previous, step, reading, step === 'opens' ? takeId() : 0)
    switch (step) {
      case 'opens':
        if (previous?.recoveredAtMs != null && reading.timeMs - previous.recoveredAtMs <= repeatWithinMs)
          this.isRepeat = true
        this.#current = this.#open(this.state.episode?.id as number, reading)
        return
      case 'continues':
        if (reading.value !== previous?.value)
          this.#change(this.#currentEpisode(previous as AlarmState), { value: reading.value })
        return
      case 'recovers':
        this.#change(this.#currentEpisode(previous as AlarmState), {
          recoveredAtMs: this.state.recoveredAtMs,
          recoveryMethod: this.state.recoveryMethod,
        })
        return
      case 'staysQuiet':
        return
    }
  }

  #applyLate(reading: AlarmReading, takeId: () => number): void {
    const { timeMs, value } = reading
    const place = placeLate(reading, this.#episodes, this.state as AlarmState)
    switch (place.kind) {
      case 'inside':
      case 'continues': {
        const lateReports = [...(place.episode.lateReports ?? []), [timeMs, value] as LateReport]
        this.#change(place.episode, {
          lateReports: lateReports.slice(-lateReportsKept),
          ...(place.kind === 'continues' && { value }),
        })
        return
      }
      case 'ends':
        this.#isLate(timeMs)
        this.#change(place.episode, { recoveredAtMs: timeMs, recoveryMethod: recoveredByDevice })
        return
      case 'apart': {
        this.#isLate(timeMs)
        const episode = this.#open(takeId(), reading, place.recoveredAtMs)
        const next = this.#episodes.findIndex(({ occurredAtMs }) => occurredAtMs > timeMs)
        this.#episodes.splice(next === -1 ? this.#episodes.length : next, 0, episode)
        return
      }
      case 'nowhere':
        return
    }
  }

  #isLate(timeMs: number): void {
    this.lateMs = Math.min(this.lateMs ?? timeMs, timeMs)
  }

  /** The history row of the active episode, known well enough to change it. */
  #currentEpisode({ episode, value }: AlarmState): EpisodeRow {
    const key = episode as { id: number; occurredAtMs: number }
    this.#current ??= this.#episodes.find(({ id }) => id === key.id) ?? {
      ...key,
      firstValue: value,
      value,
      recoveredAtMs: null,
      recoveryMethod: null,
      lateReports: null,
    }
    return this.#current
  }

  #open(id: number, { timeMs, value }: AlarmReading, recoveredAtMs: number | null = null): EpisodeRow {
    const episode: EpisodeRow = {
      id,
      occurredAtMs: timeMs,
      firstValue: value,
      value,
      recoveredAtMs,
      recoveryMethod: null,
      lateReports: null,
    }
    this.opened.push(episode)
    return episode
  }

  #change(episode: EpisodeRow, change: Partial<EpisodeRow>): void {
    Object.assign(episode, change)
    if (!this.opened.includes(episode)) this.changed.add(episode)
  }
}
