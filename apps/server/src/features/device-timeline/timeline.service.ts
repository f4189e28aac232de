import {
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
import type { Devices } from '../devices/index.ts'
import type { Operations } from '../operations/index.ts'
import { type Cursor, listTimeline } from './timeline.queries.ts'

export type DeviceTimeline = ReturnType<typeof createDeviceTimeline>

/**
 * The functions that let a user see a kind: one of the lists that show it elsewhere. A kind without an entry is part of
 * the device.
 */
const neededFor: Partial<Record<TimelineKind, readonly string[]>> = {
  alarm: [listAlarms.access],
  event: [listEvents.access],
  action: listRemoteActions.access,
  upgrade: [listUpgradeLog.access, listUpgradeTasks.access],
  batch: [listParameterBatches.access],
  log: [listLogExtractions.access],
  advertisement: [listAdvertisements.access],
  operation: [listOperations.access],
}

export function createDeviceTimeline({
  db,
  devices,
  operations,
}: {
  db: Db
  devices: Pick<Devices, 'findCode'>
  operations: Pick<Operations, 'entriesSeenBy'>
}) {
  return {
    /** Refuses `deviceNotFound`, and 400 for a `before` that is no cursor of this timeline. */
    async readDeviceTimeline(actor: Actor, input: ParsedInputFor<typeof readDeviceTimeline>) {
      const id = idNumber(input.id)
      const code = await devices.findCode(actor, id)
      if (code === undefined) refuse('deviceNotFound')
      const allowed = timelineKinds.filter((kind) => {
        const needed = neededFor[kind]
        return needed === undefined || actor.isSystem || needed.some((code) => actor.functionCodes.has(code))
      })
      const kinds = allowed.filter((kind) => !input.kinds?.length || input.kinds.includes(kind))
      const rows = await listTimeline(db, { id, code }, kinds, {
        cursor: input.before === undefined ? null : cursorOf(input.before),
        // One row more shows whether there are older ones.
        limit: input.limit + 1,
        operations: await operations.entriesSeenBy(actor),
      })
      const entries = rows.slice(0, input.limit)
      const last = entries.at(-1)
      return {
        entries,
        next: last && rows.length > input.limit ? `${last.at}|${last.kind}|${last.id}` : null,
        kinds: allowed,
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
