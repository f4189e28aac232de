/**
 * Handovers. A draft keeps what it counted in its drafter's data scope; who reads it is told of that what lies in the
 * own scope today. A page is drawn anew by its drafter alone, until somebody else has signed it.
 */
import {
  alarmHandlings,
  alarmLevels,
  type draftHandover,
  formatDateTime,
  handoverHours,
  handoverLateHours,
  handoversAtMost,
  type listHandovers,
  type ParsedInputFor,
  type readHandover,
  type signHandover,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { refuseMoreRows } from '../../domain/access/row-limits.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { endMoment, rangeEdges } from '../../platform/process/clock.ts'
import { sharedNow } from '../../platform/process/clocks/shared-clock.ts'
import type { Shift } from '../alarms/index.ts'
import { draw } from './drawing.ts'
import { drawnColumns, writeDrawn } from './drawn.queries.ts'
import { handoversChanged } from './handover.notices.ts'
import * as queries from './handover.queries.ts'

export type Handovers = ReturnType<typeof createHandovers>

const hourMs = 3_600_000

export function createHandovers({
  db,
  notices,
  overdueMinutes,
}: {
  db: Db
  notices: Pick<Notices, 'publish'>
  overdueMinutes: number
}) {
  /** Unsigned. Refuses `handoverSigned` with who took over, and when. */
  const unsignedOf = (actor: Actor, id: string): Subject<queries.HandoverRecord> => ({
    async lock(trx) {
      const page = await queries.lockHandover(trx, actor, idNumber(id), overdueMinutes)
      if (page?.signTime) {
        const { signUserName, signTime } = page
        throw new Refusal(
          'handoverSigned',
          null,
          `${signUserName} 已于 ${formatDateTime(signTime)} 签收该交接单`,
        )
      }
      return page
    },
    notFound: 'handoverNotFound',
    target: targetOf,
  })

  return {
    async listHandovers(actor: Actor, input: ParsedInputFor<typeof listHandovers>) {
      const { states, ids } = input
      const filter = { ...rangeEdges(input), states, ids: ids?.map(idNumber) }
      const [pages, total] = await Promise.all([
        queries.listHandovers(db, actor, filter, { ...pageOf(input), overdueMinutes }),
        queries.countHandovers(db, actor, filter, overdueMinutes),
      ])
      return { rows: pages.map((page) => rowOf(actor, page)), total }
    },

    /** Refuses `handoverNotFound`. */
    async readHandover(actor: Actor, { id: given }: ParsedInputFor<typeof readHandover>) {
      const id = idNumber(given)
      const filter = { from: null, to: null, ids: [id] }
      const [page] = await queries.listHandovers(db, actor, filter, { limit: 1, offset: 0, overdueMinutes })
      if (!page) refuse('handoverNotFound')
      const scope = await scopeOf(db, actor)
      const [counts, alarms, shelves, notes, underWay, isBeyond] = await Promise.all([
        queries.countOpen(db, scope, id),
        queries.listAlarms(db, scope, id),
        queries.listShelves(db, actor, scope, id),
        queries.listNotes(db, scope, id),
        queries.countUnderWay(db, scope, id),
        queries.reachesBeyond(db, actor, scope, id),
      ])
      return {
        ...rowOf(actor, page),
        levels: levelsOf(counts),
        openCount: sumOf(counts),
        shelvedCount: counts.reduce((sum, { shelvedCount }) => sum + shelvedCount, 0),
        alarms,
        shelves,
        notes,
        isNotesCut: page.isNotesCut,
        ...underWay,
        isWhole: !isBeyond,
      }
    },

    /**
     * Refuses (400) a shift that has not begun, that ended long ago or lasts too long; of a page that is drawn anew
     * `handoverNotFound`, `handoverSigned`, `handoverNotOwn` and `conflict`; `handoverTaken` where the caller has another
     * page of this shift, and `tooManyHandovers`.
     */
    async draftHandover(actor: Actor, { id, version, note, ...given }: ParsedInputFor<typeof draftHandover>) {
      const shift = shiftOf(given, sharedNow())
      const drawn = await draw(db, actor, await scopeOf(db, actor), shift)
      const values = {
        from_at: shift.from,
        to_at: shift.to,
        note: note ?? null,
        ...drawnColumns(drawn),
      }
      const shown = { ...given, ...(note !== undefined && { note }), openCount: sumOf(drawn.open) }
      if (id !== undefined) {
        const before = await changing(db, actor, { ...unsignedOf(actor, id), version }, async (trx, page) => {
          if (page.draftedBy !== actor.userId) refuse('handoverNotOwn')
          await queries.updateHandover(trx, page.id, values)
          await writeDrawn(trx, page.id, drawn)
          return {
            before: {
              startTime: formatDateTime(page.startTime),
              endTime: formatDateTime(page.endTime),
              note: page.note,
            },
            after: shown,
          }
        })
        notices.publish(handoversChanged, [before.id])
        return { id: before.id }
      }
      const made = await db.transaction().execute(async (trx) => {
        await refuseMoreRows(
          trx,
          actor,
          { table: 'handover', by: 'drafted_by', hours: 24 },
          handoversAtMost,
          'tooManyHandovers',
        )
        const newId = await queries.insertHandover(trx, {
          ...values,
          organization_id: actor.organizationId,
          drafted_by: actor.userId,
          drafted_by_name: await nameOf(trx, actor),
        })
        await writeDrawn(trx, newId, drawn)
        await recordOperation(trx, actor, {
          target: targetOf({ startTime: shift.from, endTime: shift.to }),
          changes: { after: shown },
        })
        return { id: newId }
      })
      notices.publish(handoversChanged, [made.id])
      return made
    },

    /**
     * Refuses `handoverNotFound`, `handoverSigned` (who was faster, and when), `conflict` where the page has been drawn
     * anew, `handoverOwn`, and `handoverReachesBeyond`: nobody answers for what they were not shown.
     */
    async signHandover(actor: Actor, { id, version, note }: ParsedInputFor<typeof signHandover>) {
      await changing(db, actor, { ...unsignedOf(actor, id), version }, async (trx, page) => {
        if (page.draftedBy === actor.userId) refuse('handoverOwn')
        if (await queries.reachesBeyond(trx, actor, await scopeOf(trx, actor), page.id))
          refuse('handoverReachesBeyond')
        const signUserName = await nameOf(trx, actor)
        await queries.updateHandover(trx, page.id, {
          signed_by: actor.userId,
          signed_by_name: signUserName,
          signed_at: sharedNow(),
          sign_note: note ?? null,
        })
        return { after: { signUserName, ...(note !== undefined && { note }) } }
      })
      notices.publish(handoversChanged, [idNumber(id)])
    },
  }
}

const nameOf = async (trx: Trx, { userId, loginName }: Actor) =>
  (await queries.findUserName(trx, userId)) ?? loginName

const targetOf = ({ startTime, endTime }: { startTime: Date; endTime: Date }) =>
  `交接单 ${formatDateTime(startTime)} 至 ${formatDateTime(endTime)}`

function rowOf({ userId }: Actor, { draftedBy, isNotesCut: _isNotesCut, ...page }: queries.HandoverRecord) {
  return { ...page, isOwn: draftedBy === userId }
}

/** What is open is counted as of now: a shift that is long over, or still to come, has no use for it. */
function shiftOf({ startTime, endTime }: { startTime: string; endTime: string }, now: Date): Shift {
  const from = rangeEdges({ startTime }).from as Date
  const to = endMoment(endTime)
  if (from >= to) refuseInput({ field: 'endTime', message: '结束时间应晚于开始时间' })
  if (from > now) refuseInput({ field: 'startTime', message: '班次尚未开始' })
  if (to.getTime() - from.getTime() > handoverHours * hourMs)
    refuseInput({ field: 'endTime', message: `班次不能超过 ${handoverHours} 小时` })
  if (now.getTime() - to.getTime() > handoverLateHours * hourMs)
    refuseInput({ field: 'endTime', message: `班次结束已超过 ${handoverLateHours} 小时，不能再生成交接单` })
  return { from, to }
}

const sumOf = (counts: readonly { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0)

/** Gravest first; 0, of codes without a level, last. */
function levelsOf(counts: readonly queries.LevelCount[]) {
  const of = Map.groupBy(counts, ({ level }) => level)
  return [...alarmLevels, 0].flatMap((level) => {
    const own = of.get(level) ?? []
    if (own.length === 0) return []
    const handlings = alarmHandlings.flatMap((handling) => {
      const count = sumOf(own.filter((each) => each.handling === handling))
      return count > 0 ? [{ handling, count }] : []
    })
    return [{ level: level as number, count: sumOf(own), handlings }]
  })
}
