// Writes batches of alarm reports: reads the states that it does not know, lets semaphore-track.ts decide, and writes
// states and episodes.

import type { AlarmReport } from '@voltkeep/contract/topics/index'
import type { DayBudget } from '../../../domain/history/day-budget.ts'
import type { RowIds } from '../../../domain/history/row-ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Connection } from '../../../platform/database/transaction.ts'
import type { Report } from '../../../platform/devices/ingest/reports.ts'
import { StaleBatch, type Writer } from '../../../platform/devices/ingest/writer.ts'
import { alarmsChanged, alarmsOpened, alarmsRepeated } from '../alarms.notices.ts'
import type { AlarmState, EpisodeRow } from '../alarms.states.ts'
import { repeatName } from '../repeats/repeat-names.ts'
import {
  insertAlarmStates,
  insertEpisodes,
  type NewEpisode,
  type NewState,
  readAlarmStates,
  readNeighbours,
  type StateChange,
  updateAlarmStates,
  updateEpisodes,
  wasFirst,
} from './alarm-intake.queries.ts'
import { Track } from './semaphore-track.ts'

/** This cache takes some 60 MB. */
const rememberedStates = 200_000
/** A batch with more episodes publishes no ids: clients read their lists again. */
const namedEpisodes = 500

export function createAlarmWriter({
  notices,
  rowIds,
  dayBudget,
}: {
  notices: Pick<Notices, 'publish'>
  rowIds: RowIds
  dayBudget: Pick<DayBudget, 'written'>
}): Writer<Report<AlarmReport>> {
  const memory = new Memory()
  const takeId = () => rowIds.take()

  return {
    name: 'alarm',
    async write(connection, reports) {
      const tracks = await readTracks(connection, reports, memory)
      await rowIds.ensure(connection, reports.length)
      for (const track of tracks) track.applyAll(takeId)
      const { opened, changed } = await storeTracks(connection, tracks).catch((error) => {
        if (error instanceof StaleBatch) memory.forget(tracks)
        throw error
      })
      return () => {
        memory.keep(tracks)
        dayBudget.written(opened.length)
        if (opened.length > 0) notices.publish(alarmsOpened, idsOf(opened))
        if (changed.length > 0) notices.publish(alarmsChanged, idsOf(changed))
        const repeated = tracks.filter(({ isRepeat, lateMs }) => isRepeat || lateMs !== null)
        if (repeated.length > 0)
          notices.publish(alarmsRepeated, repeated.length > namedEpisodes ? null : repeated.map(repeatName))
      }
    },
  }
}

const idsOf = (episodes: readonly EpisodeRow[]) =>
  episodes.length > namedEpisodes ? null : episodes.map(({ id }) => String(id))

/**
 * A cache of states as they were last written, so that most batches read nothing. It may be stale: users recover
 * alarms and delete devices, other processes write reports of the same devices. So an update takes effect only on
 * the state that it was computed from; otherwise the batch is done again from the database. The place of a device
 * is not cached: it may move, and the notice of that may be lost.
 */
class Memory {
  readonly #states = new Map<string, AlarmState>()

  get(key: string): AlarmState | undefined {
    return this.#states.get(key)
  }

  keep(tracks: readonly Track[]): void {
    for (const track of tracks) if (track.state) this.#states.set(keyOf(track), track.state)
    for (const key of this.#states.keys()) {
      if (this.#states.size <= rememberedStates) return
      this.#states.delete(key)
    }
  }

  forget(tracks: readonly Track[]): void {
    for (const track of tracks) this.#states.delete(keyOf(track))
  }
}

/** The tracks of a batch, with all that they need from the database, without those of unregistered devices. */
async function readTracks(
  connection: Connection,
  reports: Report<AlarmReport>[],
  memory: Memory,
): Promise<Track[]> {
  const unknown: Track[] = []
  const registered: Track[] = []
  for (const [key, track] of tracksOf(reports)) {
    track.sort()
    const state = memory.get(key)
    // A late report changes no state, so no update would notice that its device is gone. Reading its state does, and
    // locks the device.
    if (state && track.lateTimes(state).length === 0) {
      track.begin(state)
      registered.push(track)
    } else {
      unknown.push(track)
    }
  }
  if (unknown.length === 0) return registered
  const known = await readAlarmStates(connection, unknown)
  const found = unknown.flatMap((track, index) => {
    const state = known[index]
    return state === undefined ? [] : [{ track, state }]
  })
  const late = found.flatMap(({ track, state }) =>
    track.lateTimes(state).map((timeMs) => ({ deviceId: track.deviceId, code: track.code, timeMs })),
  )
  const neighbours = late.length > 0 ? await readNeighbours(connection, late) : []
  const episodes = Map.groupBy(neighbours, keyOf)
  for (const { track, state } of found) {
    track.begin(
      state,
      episodes.get(keyOf(track))?.map(({ episode }) => episode),
    )
    registered.push(track)
  }
  return registered
}

const keyOf = ({ deviceId, code }: { deviceId: number; code: string }) => `${code} ${deviceId}`

function tracksOf(reports: readonly Report<AlarmReport>[]): Map<string, Track> {
  const tracks = new Map<string, Track>()
  for (const { deviceId, occurredAtMs, clockLimitMs, payload } of reports) {
    const key = keyOf({ deviceId, code: payload.code })
    let track = tracks.get(key)
    if (!track) {
      track = new Track(deviceId, payload.code)
      tracks.set(key, track)
    }
    track.readings.push({ timeMs: occurredAtMs, value: payload.value, clockLimitMs })
  }
  return tracks
}

/** States before history, as in a recovery by a user: two orders would deadlock. */
async function storeTracks(
  connection: Connection,
  tracks: Track[],
): Promise<{ opened: EpisodeRow[]; changed: EpisodeRow[] }> {
  const changes: StateChange[] = []
  const states: NewState[] = []
  const opened: NewEpisode[] = []
  const changed: { deviceId: number; episode: EpisodeRow }[] = []
  for (const track of tracks) {
    const { deviceId, code, before, state } = track
    if (state && state !== before) {
      if (before) changes.push({ deviceId, code, before, after: state })
      else states.push({ deviceId, code, after: state })
    }
    for (const episode of track.opened) opened.push({ deviceId, code, episode })
    for (const episode of track.changed) changed.push({ deviceId, episode })
  }
  if (changes.length > 0 && (await updateAlarmStates(connection, changes)) !== changes.length)
    throw new StaleBatch()
  if (states.length > 0) {
    await insertAlarmStates(connection, states).catch((error) => {
      throw wasFirst(error) ? new StaleBatch() : error
    })
  }
  if (opened.length > 0) await insertEpisodes(connection, opened)
  if (changed.length > 0) await updateEpisodes(connection, changed)
  return { opened: opened.map(({ episode }) => episode), changed: changed.map(({ episode }) => episode) }
}
