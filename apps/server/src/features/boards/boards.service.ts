// Boards as administrators keep them: saved, listed, deleted.
import type { listBoards, ParsedInputFor, saveBoard } from '@voltkeep/contract'
import { reachesPeople } from '../../domain/access/reaches.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import * as queries from './boards.queries.ts'

export type Boards = ReturnType<typeof createBoards>

type Form = ParsedInputFor<typeof saveBoard>

/** Boards. They belong to models, which every user may see; no data scope narrows them. */
export function createBoards({ db }: { db: Db }) {
  return {
    async listBoards(input: ParsedInputFor<typeof listBoards>) {
      const { ids, keyword, pcbCode, equipTypeId, partType } = input
      const filter = {
        ids: ids?.map(idNumber),
        keyword,
        pcbCode,
        equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
        partTypes: partType === undefined ? undefined : [partType],
      }
      const [rows, total] = await Promise.all([
        queries.listBoards(db, filter, pageOf(input)),
        queries.countBoards(db, filter),
      ])
      return { rows, total }
    },

    /**
     * Adds a board, or changes the one of `id`. Refuses (400) a type or a part type that does not exist and models that
     * are not of the type; `boardCodeTaken`; for a change also `boardNotFound`, `conflict`, and `boardHasPackages` where
     * its packages would no longer be what their file names say;
     * `boardReachesBeyond` where its packages would be for other models, and their people reach devices that the caller
     * does not.
     */
    async saveBoard(actor: Actor, form: Form): Promise<{ id: number }> {
      return form.id === undefined ? insert(actor, form) : update(actor, form, form.id)
    },

    /** Refuses `boardNotFound` and `boardHasPackages`. */
    async deleteBoard(actor: Actor, id: string): Promise<void> {
      await changing(db, actor, boardOf(id), async (trx, before) => {
        if (await queries.hasPackages(trx, before.id)) refuse('boardHasPackages')
        await queries.deleteBoard(trx, before.id)
        return { before: shownOf(before) }
      })
    },
  }

  async function insert(actor: Actor, form: Form) {
    const id = await db.transaction().execute(async (trx) => {
      const place = await placeOf(trx, form)
      const newId = await queries.insertBoard(trx, valuesOf(form))
      await recordOperation(trx, actor, { target: targetOf(form), changes: { after: afterOf(form, place) } })
      return newId
    })
    return { id }
  }

  async function update(actor: Actor, form: Form, id: string) {
    const subject = { ...boardOf(id), version: form.version }
    const { id: boardId } = await changing(db, actor, subject, async (trx, before) => {
      const place = await placeOf(trx, form)
      const values = valuesOf(form)
      const isOther =
        values.pcbCode !== before.pcbCode ||
        values.partType !== before.partType ||
        values.equipTypeId !== before.equipTypeId
      if (isOther && (await queries.hasPackages(trx, before.id))) refuse('boardHasPackages')
      if (!isSameModels(values.modelIds, before.modelIds)) {
        const people = await queries.listPeople(trx, before.id)
        if (!(await reachesPeople(trx, actor.userId, people))) refuse('boardReachesBeyond')
      }
      await queries.updateBoard(trx, before.id, values)
      return differenceOf(shownOf(before), afterOf(form, place))
    })
    return { id: boardId }
  }
}

const isSameModels = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id))

const boardOf = (id: string): Subject<queries.LockedBoard> => ({
  lock: (trx) => queries.lockBoard(trx, idNumber(id)),
  notFound: 'boardNotFound',
  target: targetOf,
})

/** The type, models and part that the form names; refuses those that do not exist. */
async function placeOf(trx: Trx, form: Form): Promise<queries.Place> {
  const { equipTypeId, partType, modelIds } = valuesOf(form)
  const place = await queries.lockPlace(trx, { equipTypeId, partType, modelIds })
  if (!place) return refuseInput({ field: 'equipTypeId', message: '设备类型不存在' })
  if (place.partTypeName === null) return refuseInput({ field: 'partType', message: '部件类型不存在' })
  if (place.modelNames.length < modelIds.length)
    return refuseInput({ field: 'equipModelIds', message: '设备型号不存在，或不属于该设备类型' })
  return place
}

const valuesOf = ({ pcbCode, pcbName, partType, equipTypeId, equipModelIds }: Form): queries.BoardValues => ({
  pcbCode,
  pcbName,
  partType,
  equipTypeId: idNumber(equipTypeId),
  modelIds: [...new Set(equipModelIds.map(idNumber))],
})

const afterOf = ({ pcbCode, pcbName, partType }: Form, place: queries.Place) => ({
  pcbCode,
  pcbName,
  partType,
  equipTypeName: place.equipTypeName,
  equipModels: place.modelNames,
})

/** A board as the operation log shows it. */
const shownOf = ({ pcbCode, pcbName, partType, equipTypeName, equipModels }: queries.LockedBoard) => ({
  pcbCode,
  pcbName,
  partType,
  equipTypeName,
  equipModels,
})

const targetOf = ({ pcbCode }: { pcbCode: string }) => `板卡 ${pcbCode}`
