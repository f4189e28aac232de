/** Rotas as users keep them, and the turns in which nobody would be told, before they come. */
import {
  type DutyProblem,
  dutiesAtMost,
  type insertDuty,
  type listDuties,
  type listDutyPeople,
  type ParsedInputFor,
  type readDutyNow,
  type updateDuty,
} from '@voltkeep/contract'
import { refuseMoreRows } from '../../../domain/access/row-limits.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { isTimeZone, wallOf } from '../../../platform/process/clocks/zone-clock.ts'
import { mayChangeWhatIsTold, ownerOf } from '../rules/rule-decider.ts'
import { lockPeople } from '../targets/targets.queries.ts'
import * as queries from './duties.queries.ts'
import { type Turn, turnsBetween, wallText } from './rota.rules.ts'

export type Duties = ReturnType<typeof createDuties>
type DutyForm = ParsedInputFor<typeof insertDuty>

/** How far ahead gaps are shown. */
const aheadMs = 14 * 86_400_000
const peopleAtMost = 200

export function createDuties({ db, now = sharedNow }: { db: Db; now?: () => Date }) {
  /** The turns ahead, the present one first; in place of the time before the first turn a gap. */
  function turnsAhead(row: queries.DutyRow): Turn[] {
    const wall = wallOf(now(), row.timeZone)
    const turns = turnsBetween(row, wall, wall + aheadMs)
    const first = turns[0]?.fromWall ?? wall + aheadMs
    return first > wall
      ? [{ fromWall: wall, toWall: first, userId: null, isException: false }, ...turns]
      : turns
  }

  async function personsOf(rows: readonly queries.DutyRow[]): Promise<Map<number, queries.Person>> {
    const ids = rows.flatMap(({ members, exceptions }) => [
      ...members,
      ...exceptions.map(({ userId }) => userId),
    ])
    const known = await queries.listPersons(db, [...new Set(ids.filter((id) => id !== null))])
    return new Map(known.map((person) => [person.id, person]))
  }

  return {
    async listDuties(actor: Actor, input: ParsedInputFor<typeof listDuties>) {
      const filter = { name: input.name, ids: input.ids?.map(idNumber) }
      const [rows, total] = await Promise.all([
        queries.listDuties(db, actor, filter, pageOf(input)),
        queries.countDuties(db, actor, filter),
      ])
      const persons = await personsOf(rows)
      const nameOf = (id: number | null) => (id === null ? null : (persons.get(id)?.name ?? null))
      return {
        rows: rows.map(({ organizationId: _, members, exceptions, ...row }) => {
          const turns = turnsAhead({ ...row, organizationId: _, members, exceptions })
          const gap = turns.find((turn) => problemOf(turn, persons) !== null)
          return {
            ...row,
            memberIds: members,
            memberNames: members.map(nameOf),
            exceptions: exceptions.map((one) => ({ ...one, userName: nameOf(one.userId) })),
            nowUserName: nameOf(turns[0]?.userId ?? null),
            nextGap: gap ? shownTurn(gap, persons) : null,
          }
        }),
        total,
      }
    },

    /** Refuses `dutyNotFound`. */
    async readDutyNow(actor: Actor, { id }: ParsedInputFor<typeof readDutyNow>) {
      const [row] = await queries.listDuties(db, actor, { ids: [idNumber(id)] }, { limit: 1, offset: 0 })
      if (!row) refuse('dutyNotFound')
      const persons = await personsOf([row])
      const turns = turnsAhead(row).map((turn) => shownTurn(turn, persons))
      return { userName: turns[0]?.userName ?? null, timeZone: row.timeZone, turns }
    },

    nameDuties: (actor: Actor) => queries.nameDuties(db, actor),

    listDutyPeople: (actor: Actor, { name }: ParsedInputFor<typeof listDutyPeople>) =>
      queries.listReachable(db, actor, name ?? null, peopleAtMost),

    /** Refuses (400) a zone that does not exist, people who are not of the rota's organizations, and `tooManyDuties`. */
    async insertDuty(actor: Actor, input: DutyForm) {
      return await db.transaction().execute(async (trx) => {
        await refuseMoreRows(trx, actor, { table: 'duty', by: 'made_by' }, dutiesAtMost, 'tooManyDuties')
        const turns = await checkedTurns(trx, actor.organizationId, input, new Set())
        const id = await queries.insertDuty(trx, {
          ...valuesOf(input),
          organization_id: actor.organizationId,
          made_by: actor.userId,
        })
        await queries.writeTurns(trx, id, turns.members, turns.exceptions)
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: shownForm(input, turns) },
        })
        return { id }
      })
    },

    /**
     * Refuses `dutyNotFound`, `conflict`, `dutyReachesBeyond` where a rule tells these people of devices that the caller
     * does not see, and (400) what `insertDuty` refuses.
     */
    async updateDuty(actor: Actor, input: ParsedInputFor<typeof updateDuty>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...dutyOf(actor, id), version }, async (trx, before) => {
        await mustReach(trx, actor, before.id)
        const kept = new Set([...before.members, ...before.exceptions.map(({ userId }) => userId)])
        const turns = await checkedTurns(trx, before.organizationId, input, kept)
        await queries.updateDuty(trx, before.id, valuesOf(input))
        await queries.writeTurns(trx, before.id, turns.members, turns.exceptions)
        return {
          before: { name: before.name, handoverAt: before.handoverAt, lengthHours: before.lengthHours },
          after: shownForm(input, turns),
        }
      })
    },

    /** Refuses `dutyNotFound`, and 409 where a rule names it. */
    async deleteDuty(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, dutyOf(actor, id), async (trx, before) => {
        await queries.deleteDuty(trx, before.id)
        return { before: { name: before.name } }
      })
    },
  }
}

function problemOf({ userId }: Turn, persons: ReadonlyMap<number, queries.Person>): DutyProblem | null {
  const person = userId === null ? undefined : persons.get(userId)
  if (!person) return 'nobody'
  if (!person.isEnabled) return 'disabled'
  return person.hasContact ? null : 'noContact'
}

const shownTurn = (turn: Turn, persons: ReadonlyMap<number, queries.Person>) => ({
  from: wallText(turn.fromWall),
  to: wallText(turn.toWall),
  userId: turn.userId,
  userName: turn.userId === null ? null : (persons.get(turn.userId)?.name ?? null),
  isException: turn.isException,
  problem: problemOf(turn, persons),
})

/**
 * Of every rule by which somebody is told: whoever is taken off is told of its devices no more. People of the rota belong to
 * organizations of the caller, and are told of what they see themselves.
 */
async function mustReach(trx: Trx, { userId }: Actor, dutyId: number): Promise<void> {
  for (const { filter, ...rule } of await queries.listRulesBy(trx, dutyId)) {
    const isReached = await mayChangeWhatIsTold(trx, userId, ownerOf(rule), { filter, isWithin: true })
    if (!isReached) refuse('dutyReachesBeyond')
  }
}

const dutyOf = (actor: Actor, id: string): Subject<queries.DutyRow> => ({
  lock: (trx) => queries.lockDuty(trx, actor, idNumber(id)),
  notFound: 'dutyNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `值班表 ${name}`

const valuesOf = ({ name, timeZone, startsOn, handoverAt, lengthHours }: DutyForm) => ({
  name,
  time_zone: timeZone,
  starts_on: startsOn,
  handover_at: handoverAt,
  length_hours: lengthHours,
})

/** `kept`: people who stand in the rota already may stay, wherever they belong by now. */
async function checkedTurns(
  trx: Trx,
  organizationId: number,
  input: DutyForm,
  kept: ReadonlySet<number | null>,
) {
  if (!isTimeZone(input.timeZone)) refuseInput({ field: 'timeZone', message: '时区不存在' })
  const members = input.memberIds.map(idNumber)
  const exceptions = input.exceptions.map((one) => ({ ...one, userId: idNumber(one.userId) }))
  const asked = [...new Set([...members, ...exceptions.map(({ userId }) => userId)])]
  const found = new Map((await lockPeople(trx, organizationId, asked)).map(({ id, name }) => [id, name]))
  const isMissing = (id: number) => !found.has(id) && !kept.has(id)
  if (members.some(isMissing)) refuseInput({ field: 'memberIds', message: '值班人员不存在' })
  if (exceptions.some(({ userId }) => isMissing(userId)))
    refuseInput({ field: 'exceptions', message: '值班人员不存在' })
  return { members, exceptions, nameOf: (id: number) => found.get(id) ?? String(id) }
}

const shownForm = (
  { name, timeZone, startsOn, handoverAt, lengthHours }: DutyForm,
  { members, exceptions, nameOf }: Awaited<ReturnType<typeof checkedTurns>>,
) => ({
  name,
  timeZone,
  startsOn,
  handoverAt,
  lengthHours,
  members: members.map(nameOf).join('、'),
  exceptions: exceptions
    .map(({ fromDay, toDay, userId }) => `${fromDay} 至 ${toDay} ${nameOf(userId)}`)
    .join('；'),
})
