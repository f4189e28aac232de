import type { AlarmReport } from '@voltkeep/contract/topics/index'
import type { Report } from '../../platform/mqtt/reports.ts'
import type { RowIds } from '../../platform/mqtt/row-ids.ts'
import { type Connection, StaleBatch, type Writer } from '../../platform/mqtt/write-lanes.ts'
import type { Notices } from '../../platform/notices.ts'
import {
  type EpisodeRow,
  insertAlarmStates,
  insertEpisodes,
  type NewEpisode,
  type NewState,
  type Place,
  readAlarmStates,
  readEpisodesAround,
  type StateChange,
  updateAlarmStates,
  updateEpisodes,
} from './alarms.intake.queries.ts'
import { type AlarmState, afterStep, placeLate, recoveredByDevice, stepOf } from './alarms.states.ts'

const lateReportsKept = 50
/** More than that in one batch is not worth naming one by one. */
const namedEpisodes = 500

/** Takes alarm reports: states move on, episodes open, go on and end, late reports find their place. */
export function createAlarmWriter({
  notices,
  rowIds,
}: {
  notices: Pick<Notices, 'publish'>
  rowIds: RowIds
}): Writer<Report<AlarmReport>> {
  return {
    async write(connection, reports) {
      const tracks = await readTracks(connection, reports)
      await rowIds.ensure(connection, reports.length)
      for (const track of tracks) {
        for (const report of track.reports) track.take(report, rowIds)
      }
      const episodes = await storeTracks(connection, tracks)
      if (episodes.length === 0) return undefined
      const episodeIds = episodes.length > namedEpisodes ? null : episodes.map(({ id }) => String(id))
      return () => notices.publish('alarmsChanged', { episodeIds })
    },
  }
}

/** One device's semaphore in one batch: its reports by time, and what they make of it. */
class Track {
  readonly deviceId: number
  readonly code: string
  readonly reports: Report<AlarmReport>[] = []
  place!: Place
  /** As read; null where the semaphore has no state yet. */
  before: AlarmState | null = null
  state: AlarmState | null = null
  /** Those that can matter to late reports, earliest first; read only where there are any. */
  episodes: EpisodeRow[] = []
  readonly added: EpisodeRow[] = []
  readonly changed = new Set<EpisodeRow>()
  #current: EpisodeRow | undefined

  constructor(deviceId: number, code: string) {
    this.deviceId = deviceId
    this.code = code
  }

  take({ occurredAtMs: timeMs, payload: { value } }: Report<AlarmReport>, rowIds: RowIds): void {
    const reading = { timeMs, value }
    const step = stepOf(this.state, reading)
    if (step === 'isLate') {
      this.#takeLate(timeMs, value, rowIds)
      return
    }
    const previous = this.state
    this.state = afterStep(previous, step, reading, step === 'opens' ? rowIds.take() : 0)
    switch (step) {
      case 'opens':
        this.#current = this.#add({
          ...(this.state.episode as { id: number; occurredAtMs: number }),
          firstValue: value,
          value,
          recoveredAtMs: null,
          recoveryMethod: null,
          lateReports: null,
        })
        return
      case 'continues':
        if (value !== previous?.value) this.#change(this.#currentEpisode(previous as AlarmState), { value })
        return
      case 'recovers':
        this.#change(this.#currentEpisode(previous as AlarmState), {
          recoveredAtMs: timeMs,
          recoveryMethod: recoveredByDevice,
        })
        return
      case 'staysQuiet':
        return
    }
  }

  #takeLate(timeMs: number, value: number, rowIds: RowIds): void {
    const place = placeLate({ timeMs, value }, this.episodes, this.state as AlarmState)
    switch (place.kind) {
      case 'inside': {
        const lateReports = [...(place.episode.lateReports ?? []), [timeMs, value] as [number, number]]
        this.#change(place.episode, { lateReports: lateReports.slice(-lateReportsKept) })
        return
      }
      case 'ends':
        this.#change(place.episode, { recoveredAtMs: timeMs, recoveryMethod: recoveredByDevice })
        return
      case 'apart': {
        const episode = this.#add({
          id: rowIds.take(),
          occurredAtMs: timeMs,
          firstValue: value,
          value,
          recoveredAtMs: place.recoveredAtMs,
          recoveryMethod: null,
          lateReports: null,
        })
        const next = this.episodes.findIndex(({ occurredAtMs }) => occurredAtMs > timeMs)
        this.episodes.splice(next === -1 ? this.episodes.length : next, 0, episode)
        return
      }
      case 'nowhere':
        return
    }
  }

  /** The history row of the active episode, known well enough to change it. */
  #currentEpisode({ episode, value }: AlarmState): EpisodeRow {
    const key = episode as { id: number; occurredAtMs: number }
    this.#current ??= this.episodes.find(({ id }) => id === key.id) ?? {
      ...key,
      firstValue: value,
      value,
      recoveredAtMs: null,
      recoveryMethod: null,
      lateReports: null,
    }
    return this.#current
  }

  #add(episode: EpisodeRow): EpisodeRow {
    this.added.push(episode)
    return episode
  }

  #change(episode: EpisodeRow, change: Partial<EpisodeRow>): void {
    Object.assign(episode, change)
    if (!this.added.includes(episode)) this.changed.add(episode)
  }
}

async function readTracks(connection: Connection, reports: Report<AlarmReport>[]): Promise<Track[]> {
  const tracks = new Map<string, Track>()
  for (const report of reports) {
    const key = `${report.payload.code} ${report.deviceId}`
    let track = tracks.get(key)
    if (!track) {
      track = new Track(report.deviceId, report.payload.code)
      tracks.set(key, track)
    }
    track.reports.push(report)
  }
  const all = [...tracks.values()]
  const known = await readAlarmStates(connection, all)
  const registered: Track[] = []
  for (const [index, track] of all.entries()) {
    const semaphore = known[index]
    if (!semaphore) continue
    track.place = semaphore.place
    track.before = semaphore.state
    track.state = semaphore.state
    // Stable: what has the same time stays in order of arrival.
    if (track.reports.length > 1) track.reports.sort((a, b) => a.occurredAtMs - b.occurredAtMs)
    await readLateSurroundings(connection, track)
    registered.push(track)
  }
  return registered
}

async function readLateSurroundings(connection: Connection, track: Track): Promise<void> {
  const { before, reports } = track
  const first = reports[0] as Report<AlarmReport>
  if (!before || first.occurredAtMs >= before.reportedAtMs) return
  const late = reports.filter(({ occurredAtMs }) => occurredAtMs < before.reportedAtMs)
  const last = late.at(-1) as Report<AlarmReport>
  track.episodes = await readEpisodesAround(connection, track, first.occurredAtMs, last.occurredAtMs)
}

/** States before history, as the alarms' service does it: two orders would be deadlocks. */
async function storeTracks(connection: Connection, tracks: Track[]): Promise<EpisodeRow[]> {
  const changes: StateChange[] = []
  const states: NewState[] = []
  const added: NewEpisode[] = []
  const changed: { deviceId: number; episode: EpisodeRow }[] = []
  for (const track of tracks) {
    const { deviceId, code, place, before, state } = track
    if (state && state !== before) {
      if (before) changes.push({ deviceId, code, before, after: state })
      else states.push({ deviceId, code, place, after: state })
    }
    for (const episode of track.added) added.push({ deviceId, code, place, episode })
    for (const episode of track.changed) changed.push({ deviceId, episode })
  }
  if (changes.length > 0 && (await updateAlarmStates(connection, changes)) !== changes.length)
    throw new StaleBatch()
  if (states.length > 0 && (await insertAlarmStates(connection, states)) !== states.length)
    throw new StaleBatch()
  if (added.length > 0) await insertEpisodes(connection, added)
  if (changed.length > 0) await updateEpisodes(connection, changed)
  return [...added, ...changed].map(({ episode }) => episode)
}
