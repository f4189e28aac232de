// What happened to a device, of all kinds in one order, within what the caller may see.
import {
  type exportDeviceTimeline,
  type FileReply,
  listAdvertisements,
  listAlarms,
  listEvents,
  listLogExtractions,
  listOperations,
  listParameterBatches,
  listRemoteActions,
  listUpgradeLog,
  listUpgradeTasks,
  type ParsedInputFor,
  type readDeviceTimeline,
  type TimelineKind,
  timelineKinds,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { streamSnapshot } from '../../platform/database/snapshot.ts'
import { fileNameAt, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import { historyRange, rangeEdges } from '../../platform/process/clock.ts'
import type { Devices } from '../devices/index.ts'
import type { Operations } from '../operations/index.ts'
import { detailOf, timelineSheet } from './timeline.export.ts'
import { type Cursor, listTimeline, walkTimeline } from './timeline.queries.ts'

export type DeviceTimeline = ReturnType<typeof createDeviceTimeline>

/**
 * The functions that let a user see a kind: one of the lists that show it elsewhere. A kind without an entry is part of
 * the device.
 */
const neededFor: Partial<Record<TimelineKind, readonly string[]>> = {
  alarm: [listAlarms.access],
  handling: [listAlarms.access],
  event: [listEvents.access],
  action: listRemoteActions.access,
  upgrade: [listUpgradeLog.access, listUpgradeTasks.access],
  batch: [listParameterBatches.access],
  log: [listLogExtractions.access],
  advertisement: [listAdvertisements.access],
  operation: [listOperations.access],
}

/** Rows read at a time for an export. */
const exportBatch = 500

export function createDeviceTimeline({
  db,
  devices,
  operations,
}: {
  db: Db
  devices: Pick<Devices, 'findCode'>
  operations: Pick<Operations, 'entriesSeenBy'>
}) {
  /** The device, the kinds that the caller may see of it, and those of them that are asked for. */
  async function asked(actor: Actor, input: { id: string; kinds?: readonly TimelineKind[] | undefined }) {
    const id = idNumber(input.id)
    const code = await devices.findCode(actor, id)
    if (code === undefined) refuse('deviceNotFound')
    const allowed = timelineKinds.filter((kind) => {
      const needed = neededFor[kind]
      return needed === undefined || actor.isSystem || needed.some((one) => actor.functionCodes.has(one))
    })
    const kinds = allowed.filter((kind) => !input.kinds?.length || input.kinds.includes(kind))
    return { device: { id, code }, allowed, kinds }
  }

  return {
    /** Refuses `deviceNotFound`, and 400 for a `before` that is no cursor of this timeline. */
    async readDeviceTimeline(actor: Actor, input: ParsedInputFor<typeof readDeviceTimeline>) {
      const { device, allowed, kinds } = await asked(actor, input)
      const rows = await listTimeline(db, device, kinds, {
        cursor: input.before === undefined ? null : cursorOf(input.before),
        range: rangeEdges(input),
        // One row more shows whether there are older ones.
        limit: input.limit + 1,
        operations: await operations.entriesSeenBy(actor),
        reader: actor,
      })
      const shown = rows.slice(0, input.limit)
      const last = shown.at(-1)
      return {
        entries: shown.map(({ saying, note, ...row }) => ({ ...row, detail: detailOf({ saying, note }) })),
        next: last && rows.length > input.limit ? `${last.at}|${last.kind}|${last.id}` : null,
        kinds: allowed,
      }
    },

    /** Refuses `deviceNotFound`. */
    async exportDeviceTimeline(
      actor: Actor,
      input: ParsedInputFor<typeof exportDeviceTimeline>,
    ): Promise<FileReply> {
      const { device, kinds } = await asked(actor, input)
      const part = {
        range: historyRange(input),
        limit: exportBatch,
        operations: await operations.entriesSeenBy(actor),
        reader: actor,
      }
      return {
        fileName: fileNameAt(`设备动态_${device.code}`, new Date()),
        body: spreadsheet(timelineSheet, () =>
          streamSnapshot(db, (trx) => walkTimeline(trx, device, kinds, part)),
        ),
      }
    },
  }
}

const idShapes = { uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, number: /^\d{1,18}$/ }

function cursorOf(before: string): Cursor {
  const [at = '', kind = '', id = ''] = before.split('|')
  const known = timelineKinds.find((each) => each === kind)
  const shape = known === 'command' ? idShapes.uuid : idShapes.number
  if (!known || !shape.test(id) || Number.isNaN(Date.parse(at.replace(/([+-]\d\d)$/, '$1:00')))) {
    throw new Refusal('badInput', [{ field: 'before', message: '起点无效' }])
  }
  return { at, kind: known, id }
}
