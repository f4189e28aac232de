import type {
  insertModel,
  insertModelPart,
  listModelParts,
  listModels,
  ParsedInputFor,
  updateModel,
  updateModelPart,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import { type DataScope, scopeOf } from '../../platform/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { refuse, refuseInput } from '../../platform/refusal.ts'
import * as queries from './models.queries.ts'
import { holdPartTypes } from './part-types.queries.ts'

/**
 * Models of a type and what each is made of. A model begins with its type's parts and follows the type with
 * those that nobody has written since.
 */
export function createModels({ db }: { db: Db }) {
  return {
    listModels: ({ equipTypeId }: ParsedInputFor<typeof listModels>) =>
      queries.listModels(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),

    async insertModel(actor: Actor, input: ParsedInputFor<typeof insertModel>) {
      const id = await db.transaction().execute(async (trx) => {
        const type = (await queries.holdEquipType(trx, idNumber(input.equipTypeId))) ?? refuseType()
        const newId = await queries.insertModel(trx, { ...input, equipTypeId: type.id })
        await queries.resetDefaultParts(trx, newId)
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: { name: input.name, code: input.code, equipType: type.name } },
        })
        return newId
      })
      return { id }
    },

    async updateModel(actor: Actor, input: ParsedInputFor<typeof updateModel>): Promise<void> {
      const { name, code, version } = input
      await db.transaction().execute(async (trx) => {
        // The type first, as whoever changes a type and its models' parts has it.
        const type = await queries.holdEquipType(trx, idNumber(input.equipTypeId))
        const before = await lockModel(trx, input.id)
        if (!type) refuseType()
        if (version !== undefined && version !== before.version) refuse('conflict')
        const isMoved = before.equipTypeId !== type.id
        // Devices would move with it, out of some people's sight and into that of others.
        if (isMoved && (await queries.hasDevices(trx, before.id))) refuse('modelHasDevices')
        // The history of devices that are gone moves all the same: nobody fetches it into his own sight.
        if (isMoved) assertSeesTypes(await scopeOf(trx, actor), [before.equipTypeId, type.id])
        await queries.updateModel(trx, before.id, { name, code, equipTypeId: type.id })
        if (isMoved) await queries.resetDefaultParts(trx, before.id)
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: { before: shownOf(before), after: { name, code, equipType: type.name } },
        })
      })
    },

    async deleteModel(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = await lockModel(trx, id)
        if (await queries.hasDevices(trx, before.id)) refuse('modelHasDevices')
        await queries.deleteModel(trx, before.id)
        await recordOperation(trx, actor, { target: targetOf(before), changes: { before: shownOf(before) } })
      })
    },

    listModelParts: ({ equipModelId }: ParsedInputFor<typeof listModelParts>) =>
      queries.listModelParts(db, idNumber(equipModelId)),

    async insertModelPart(actor: Actor, input: ParsedInputFor<typeof insertModelPart>) {
      const id = await db.transaction().execute(async (trx) => {
        const model = await lockModel(trx, input.equipModelId)
        const values = await partOf(trx, input)
        const newId = (await queries.insertModelPart(trx, model.id, values)) ?? refuse('modelPartTaken')
        await recordOperation(trx, actor, {
          target: partTargetOf(model.name, values.partType),
          changes: { after: { ...values } },
        })
        return newId
      })
      return { id }
    },

    async updateModelPart(actor: Actor, input: ParsedInputFor<typeof updateModelPart>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = await lockModelPart(trx, input.id)
        if (input.version !== undefined && input.version !== before.version) refuse('conflict')
        const values = await partOf(trx, input)
        await queries.updateModelPart(trx, before.id, values)
        await recordOperation(trx, actor, {
          target: partTargetOf(before.modelName, before.partType),
          changes: { before: shownPartOf(before), after: { ...values } },
        })
      })
    },

    async deleteModelPart(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const before = await lockModelPart(trx, id)
        await queries.deleteModelPart(trx, before.id)
        await recordOperation(trx, actor, {
          target: partTargetOf(before.modelName, before.partType),
          changes: { before: shownPartOf(before) },
        })
      })
    },
  }
}

function assertSeesTypes({ equipTypeIds }: DataScope, ids: readonly number[]): void {
  if (equipTypeIds !== null && !ids.every((id) => equipTypeIds.includes(id))) refuse('cannotGrant')
}

function refuseType(): never {
  refuseInput({ field: 'equipTypeId', message: '设备类型不存在' })
}

async function lockModel(trx: Trx, id: string): Promise<queries.ModelRow> {
  return (await queries.lockModel(trx, idNumber(id))) ?? refuse('modelNotFound')
}

async function lockModelPart(trx: Trx, id: string) {
  return (await queries.lockModelPart(trx, idNumber(id))) ?? refuse('modelPartNotFound')
}

/** The part of a form; its type must exist. */
async function partOf(
  trx: Trx,
  form: Pick<ParsedInputFor<typeof insertModelPart>, 'partType' | 'name' | 'remark' | 'addrCount'>,
): Promise<queries.ModelPartValues> {
  const { partType, name = null, remark = null, addrCount } = form
  const known = await holdPartTypes(trx, [partType])
  if (!known.has(partType)) refuseInput({ field: 'partType', message: '部件类型不存在' })
  return { partType, name, remark, addrCount }
}

const targetOf = ({ name }: { name: string }) => `设备型号 ${name}`
const partTargetOf = (modelName: string, partType: string) => `设备型号 ${modelName} 的部件 ${partType}`

const shownOf = ({ name, code, equipTypeName }: queries.ModelRow) => ({
  name,
  code,
  equipType: equipTypeName,
})

const shownPartOf = ({ partType, name, remark, addrCount }: queries.ModelPartValues) => ({
  partType,
  name,
  remark,
  addrCount,
})
