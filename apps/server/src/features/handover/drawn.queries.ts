// SQL that writes what was drawn.
import type { Trx } from '../../platform/database/database.ts'
import type { Drawn } from './drawing.ts'

/** What was drawn, in the columns of the page's row. */
export const drawnColumns = ({ countedAt, open, upgradeIds, batchIds, isNotesCut }: Drawn) => ({
  counted_at: countedAt,
  open_devices: open.map(({ deviceId }) => deviceId),
  open_levels: open.map(({ level }) => level),
  open_handlings: open.map(({ handling }) => handling),
  open_counts: open.map(({ count }) => count),
  open_shelved: open.map(({ shelvedCount }) => shelvedCount),
  upgrade_ids: upgradeIds,
  batch_ids: batchIds,
  is_notes_cut: isNotesCut,
})

/** Writes the rows of what was drawn, in place of any of before. */
export async function writeDrawn(trx: Trx, id: number, { alarms, notes, shelves }: Drawn): Promise<void> {
  await trx.deleteFrom('handover_alarm').where('handover_id', '=', id).execute()
  await trx.deleteFrom('handover_note').where('handover_id', '=', id).execute()
  await trx.deleteFrom('handover_shelf').where('handover_id', '=', id).execute()
  if (shelves.length > 0) {
    await trx
      .insertInto('handover_shelf')
      .values(
        shelves.map((shelf, place) => ({
          handover_id: id,
          place,
          shelf_id: shelf.shelfId,
          organization_id: shelf.organizationId,
          kind: shelf.kind,
          reason: shelf.reason,
          made_by_name: shelf.makerName,
          until: shelf.until,
          device_ids: shelf.deviceIds,
          place_names: shelf.placeNames,
          semaphore_names: shelf.semaphoreNames,
          levels: shelf.levels,
          compartment: shelf.compartment,
          is_one_shot: shelf.isOneShot,
        })),
      )
      .execute()
  }
  if (alarms.length > 0) {
    await trx
      .insertInto('handover_alarm')
      .values(
        alarms.map((alarm, place) => ({
          handover_id: id,
          place,
          episode_id: alarm.id,
          device_id: alarm.deviceId,
          device_code: alarm.deviceCode,
          device_name: alarm.deviceName,
          region_name: alarm.regionName,
          semaphore_name: alarm.semaphoreName,
          meaning: alarm.meaning,
          level: alarm.level,
          handling: alarm.handling,
          occurred_at: alarm.occurredAt,
          assignee_name: alarm.assigneeName,
          acked_by_name: alarm.ackedByName,
          last_note: alarm.lastNote,
          last_note_by_name: alarm.lastNoteByName,
          last_note_at: alarm.lastNoteAt,
          is_shelved: alarm.isShelved,
          shelved_until: alarm.shelvedUntil,
        })),
      )
      .execute()
  }
  if (notes.length > 0) {
    await trx
      .insertInto('handover_note')
      .values(
        notes.map(({ at, userName, kind, note, deviceIds, semaphoreName, meaning }, place) => ({
          handover_id: id,
          place,
          at,
          user_name: userName,
          kind,
          note,
          device_ids: deviceIds,
          semaphore_name: semaphoreName,
          meaning,
        })),
      )
      .execute()
  }
}
