import { handoverAlarms, handoverNotes, handoverShelves } from '@voltkeep/contract'
import type { DataScope } from '../../domain/access/data-scope.ts'
import { inOneSnapshot } from '../../domain/history/index.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { sharedNow } from '../../platform/process/clocks/shared-clock.ts'
import {
  countOpenAlarms,
  listGravestOpen,
  listNoted,
  listQuietNow,
  readQuiet,
  readShelved,
  type Shift,
} from '../alarms/index.ts'
import { listUnderWay } from './handover.queries.ts'

export type Drawn = Awaited<ReturnType<typeof draw>>

/**
 * Everything that a page keeps, in this scope and as of one moment. A further part of the page is read here, and kept by
 * device, so that each reader is told of it as far as the own scope reaches.
 */
export async function draw(db: Db, actor: Actor, scope: DataScope, shift: Shift) {
  return await inOneSnapshot(db, async (trx) => {
    const countedAt = sharedNow()
    const quiet = await readQuiet(trx, countedAt)
    const open = await countOpenAlarms(trx, scope, shift, quiet)
    const gravest = await listGravestOpen(trx, scope, shift, handoverAlarms)
    const shelved = await readShelved(
      trx,
      quiet,
      gravest.map(({ id }) => id),
    )
    const alarms = gravest.map((alarm) => ({
      ...alarm,
      isShelved: shelved.has(alarm.id),
      shelvedUntil: shelved.get(alarm.id) ?? null,
    }))
    const noted = await listNoted(trx, scope, shift, handoverNotes + 1)
    return {
      countedAt,
      open,
      alarms,
      shelves: await listQuietNow(trx, actor, scope, handoverShelves, countedAt),
      notes: noted.slice(0, handoverNotes),
      isNotesCut: noted.length > handoverNotes,
      ...(await listUnderWay(trx, scope)),
    }
  })
}
