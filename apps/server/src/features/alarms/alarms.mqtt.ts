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
  readAlarmStates,
  readEpisodesAround,
  type StateChange,
  updateAlarmStates,
  updateEpisodes,
  wasFirst,
} from './alarms.intake.queries.ts'
import {
  type AlarmState,
  afterStep,
  type LateReport,
  placeLate,
  recoveredByDevice,
  stepOf,
} from './alarms.states.ts'

const lateReportsKept = 50
/** Some 60 MB. */
const rememberedStates = 200_000
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
  const memory = new Memory()

  return {
    async write(connection, reports) {
      const tracks = await readTracks(connection, reports, memory)
      await rowIds.ensure(connection, reports.length)
      for (const track of tracks) {
        for (const report of track.reports) track.take(report, rowIds)
      }
      const episodes = await storeTracks(connection, tracks).catch((error) => {
        if (error instanceof StaleBatch) memory.forget(tracks)
        throw error
      })
      const episodeIds = episodes.length > namedEpisodes ? null : episodes.map(({ id }) => String(id))
      return () => {
        memory.keep(tracks)
        if (episodes.length > 0) notices.publish('alarmsChanged', { episodeIds })
      }
    },
  }
}

/**
 * States as they were last written, so that most batches have nothing to read. Nobody relies on it: an
 * update only takes effect on the state that it was made from, and otherwise the batch is done again from
 * what the database says. (Users recover alarms and delete devices; other processes may take reports of the
 * same devices.) Where a device stands is not remembered: it may move, and the notice of it be lost.
 */
class Memory {
  readonly #states = new Map<string, AlarmState>()

  get(key: string): AlarmState | undefined {
    return this.#states.get(key)
  }

  keep(tracks: readonly Track[]): void {
    for (const { key, state } of tracks) if (state) this.#states.set(key, state)
    for (const key of this.#states.keys()) {
      if (this.#states.size <= rememberedStates) return
      this.#states.delete(key)
    }
  }

  forget(tracks: readonly Track[]): void {
    for (const { key } of tracks) this.#states.delete(key)
  }
}

/** One device's semaphore in one batch: its reports by time, and what they make of it. */
class Track {
  readonly key: string
  readonly deviceId: number
  readonly code: string
  readonly reports: Report<AlarmReport>[] = []
  /** As read; null where the semaphore has no state yet. */
  before: AlarmState | null = null
  state: AlarmState | null = null
  /** Those that can matter to late reports, earliest first; read only where there are any. */
  episodes: EpisodeRow[] = []
  readonly added: EpisodeRow[] = []
  readonly changed = new Set<EpisodeRow>()
  #current: EpisodeRow | undefined

  constructor(key: string, deviceId: number, code: string) {
    this.key = key
    this.deviceId = deviceId
    this.code = code
  }

  begin(state: AlarmState | null): void {
    this.before = state
    this.state = state
  }

  /** Asked when the reports are in order of time. */
  hasLate(state: AlarmState | null): boolean {
    const [first] = this.reports
    return state !== null && first !== undefined && first.occurredAtMs < state.reportedAtMs
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

async function readTracks(
  connection: Connection,
  reports: Report<AlarmReport>[],
  memory: Memory,
): Promise<Track[]> {
  const tracks = new Map<string, Track>()
  for (const report of reports) {
    const { deviceId, payload } = report
    const key = `${payload.code} ${deviceId}`
    let track = tracks.get(key)
    if (!track) {
      track = new Track(key, deviceId, payload.code)
      tracks.set(key, track)
    }
    track.reports.push(report)
  }
  const unknown: Track[] = []
  const registered: Track[] = []
  for (const track of tracks.values()) {
    // Stable: what has the same time stays in order of arrival.
    if (track.reports.length > 1) track.reports.sort((a, b) => a.occurredAtMs - b.occurredAtMs)
    const state = memory.get(track.key)
    // A late report changes no state, so no update would find out that its device is gone: it is read, which
    // holds the device.
    if (state && !track.hasLate(state)) {
      track.begin(state)
      registered.push(track)
    } else {
      unknown.push(track)
    }
  }
  if (unknown.length > 0) {
    const known = await readAlarmStates(connection, unknown)
    for (const [index, track] of unknown.entries()) {
      const state = known[index]
      if (state === undefined) continue
      track.begin(state)
      registered.push(track)
      if (track.hasLate(track.before)) await readLateSurroundings(connection, track)
    }
  }
  return registered
}

async function readLateSurroundings(connection: Connection, track: Track): Promise<void> {
  const { before, reports } = track
  const first = reports[0] as Report<AlarmReport>
  const last = reports.findLast(
    ({ occurredAtMs }) => occurredAtMs < (before as AlarmState).reportedAtMs,
  ) as Report<AlarmReport>
  track.episodes = await readEpisodesAround(connection, track, first.occurredAtMs, last.occurredAtMs)
}

/** States before history, as the alarms' service does it: two orders would be deadlocks. */
async function storeTracks(connection: Connection, tracks: Track[]): Promise<EpisodeRow[]> {
  const changes: StateChange[] = []
  const states: NewState[] = []
  const added: NewEpisode[] = []
  const changed: { deviceId: number; episode: EpisodeRow }[] = []
  for (const track of tracks) {
    const { deviceId, code, before, state } = track
    if (state && state !== before) {
      if (before) changes.push({ deviceId, code, before, after: state })
      else states.push({ deviceId, code, after: state })
    }
    for (const episode of track.added) added.push({ deviceId, code, episode })
    for (const episode of track.changed) changed.push({ deviceId, episode })
  }
  if (changes.length > 0 && (await updateAlarmStates(connection, changes)) !== changes.length)
    throw new StaleBatch()
  if (states.length > 0) {
    await insertAlarmStates(connection, states).catch((error) => {
      throw wasFirst(error) ? new StaleBatch() : error
    })
  }
  if (added.length > 0) await insertEpisodes(connection, added)
  if (changed.length > 0) await updateEpisodes(connection, changed)
  return [...added, ...changed].map(({ episode }) => episode)
}
