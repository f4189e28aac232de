// Models and their parts as administrators keep them.
import type {
  insertModel,
  insertModelPart,
  listModelParts,
  listModels,
  ParsedInputFor,
  updateModel,
  updateModelPart,
} from '@voltkeep/contract'
import { type DataScope, everything, scopeOf } from '../../domain/access/data-scope.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import * as queries from './models.queries.ts'
import { lockPartTypesShared } from './part-types.queries.ts'

/** A new model gets the parts of its type by default; those follow the type until somebody edits them. */
export function createModels({ db }: { db: Db }) {
  return {
    listModels: ({ equipTypeId }: ParsedInputFor<typeof listModels>) =>
      queries.listModels(db, equipTypeId === undefined ? null : idNumber(equipTypeId)),

    /** Refuses 409 `modelCodeTaken`, and 400 for an unknown type. */
    async insertModel(actor: Actor, input: ParsedInputFor<typeof insertModel>) {
      const id = await db.transaction().execute(async (trx) => {
        const type = (await queries.lockEquipTypeShared(trx, idNumber(input.equipTypeId))) ?? refuseType()
        const values = { ...valuesOf(input), equipTypeId: type.id }
        const newId = await queries.insertModel(trx, values)
        await queries.resetDefaultParts(trx, newId)
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: shownOf({ ...values, equipTypeName: type.name }) },
        })
        return newId
      })
      return { id }
    },

    /**
     * Refuses `modelNotFound`, `conflict`, 409 `modelCodeTaken`, 400 for an unknown type; for another type, also 409
     * `modelHasDevices` and 403 `cannotGrant` where the actor's data scope lacks one of the types; for another number of
     * compartments 403 `modelReachesBeyond` where it has devices that the actor does not see: nobody opens a compartment
     * beyond it.
     */
    async updateModel(actor: Actor, input: ParsedInputFor<typeof updateModel>): Promise<void> {
      const { id, version } = input
      const subject = {
        ...modelOf(id),
        version,
        // The type before the model, as in a change of a type: in the other order the two could deadlock.
        async lock(trx: Trx) {
          const type = await queries.lockEquipTypeShared(trx, idNumber(input.equipTypeId))
          const model = await queries.lockModel(trx, idNumber(id))
          return model && { ...model, type }
        },
      }
      await changing(db, actor, subject, async (trx, before) => {
        const type = before.type ?? refuseType()
        const isMoved = before.equipTypeId !== type.id
        // Its devices would move with it, out of some users' sight and into that of others.
        if (isMoved && (await queries.hasDevices(trx, before.id))) refuse('modelHasDevices')
        // The history of deleted devices moves all the same, which must not bring it into the actor's sight.
        if (isMoved) assertSeesTypes(await scopeOf(trx, actor), [before.equipTypeId, type.id])
        const values = { ...valuesOf(input), equipTypeId: type.id }
        if (values.compartmentCount !== before.compartmentCount) await requireReach(trx, actor, before.id)
        await queries.updateModel(trx, before.id, values)
        if (isMoved) await queries.resetDefaultParts(trx, before.id)
        return { before: shownOf(before), after: shownOf({ ...values, equipTypeName: type.name }) }
      })
    },

    /** Refuses `modelNotFound`, and 409 `modelHasDevices`. */
    async deleteModel(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, modelOf(id), async (trx, before) => {
        if (await queries.hasDevices(trx, before.id)) refuse('modelHasDevices')
        await queries.deleteModel(trx, before.id)
        return { before: shownOf(before) }
      })
    },

    listModelParts: ({ equipModelId }: ParsedInputFor<typeof listModelParts>) =>
      queries.listModelParts(db, idNumber(equipModelId)),

    /**
     * Over a default part of the same type it writes. Refuses `modelNotFound`, 409 `modelPartTaken`, 400 for the type, and
     * what `keepingFirstParts` does.
     */
    async insertModelPart(actor: Actor, input: ParsedInputFor<typeof insertModelPart>) {
      const id = await db.transaction().execute(async (trx) => {
        const model = (await queries.lockModel(trx, idNumber(input.equipModelId))) ?? refuse('modelNotFound')
        const values = await partOf(trx, input)
        const newId = await keepingFirstParts(
          trx,
          actor,
          [model.id],
          async () => (await queries.insertModelPart(trx, model.id, values)) ?? refuse('modelPartTaken'),
        )
        await recordOperation(trx, actor, {
          target: partTargetOf(model.name, values.partType),
          changes: { after: { ...values } },
        })
        return newId
      })
      return { id }
    },

    /**
     * Refuses `modelPartNotFound`, `conflict`, 409 `modelPartTaken`, 400 for an unknown part type, and what
     * `keepingFirstParts` does.
     */
    async updateModelPart(actor: Actor, input: ParsedInputFor<typeof updateModelPart>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...modelPartOf(id), version }, async (trx, before) => {
        const values = await partOf(trx, input)
        await keepingFirstParts(trx, actor, [before.equipModelId], () =>
          queries.updateModelPart(trx, before.id, values),
        )
        return { before: shownPartOf(before), after: { ...values } }
      })
    },

    /** Refuses `modelPartNotFound`, and what `keepingFirstParts` does. */
    async deleteModelPart(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, modelPartOf(id), async (trx, before) => {
        await keepingFirstParts(trx, actor, [before.equipModelId], () =>
          queries.deleteModelPart(trx, before.id),
        )
        return { before: shownPartOf(before) }
      })
    },
  }
}

const modelOf = (id: string): Subject<queries.ModelRow> => ({
  lock: (trx) => queries.lockModel(trx, idNumber(id)),
  notFound: 'modelNotFound',
  target: targetOf,
})

const modelPartOf = (id: string): Subject<queries.ModelPartRow> => ({
  lock: (trx) => queries.lockModelPart(trx, idNumber(id)),
  notFound: 'modelPartNotFound',
  target: ({ modelName, partType }) => partTargetOf(modelName, partType),
})

function assertSeesTypes({ equipTypeIds }: DataScope, ids: readonly number[]): void {
  if (equipTypeIds !== null && !ids.every((id) => equipTypeIds.includes(id))) refuse('cannotGrant')
}

async function requireReach(trx: Trx, actor: Actor, modelId: number): Promise<void> {
  const scope = await scopeOf(trx, actor)
  if (scope !== everything && (await queries.hasDevicesBeyond(trx, scope, [modelId])))
    refuse('modelReachesBeyond')
}

/**
 * Changes parts of models. A device that polls and does not say which part its version is of, and a charging station, is
 * taken for the first part of its model, and gets the packages for that one: another first part is refused (403
 * `modelPartReachesBeyond`) where the model has devices that the actor does not see, whatever they speak now: one at the
 * broker, which names each of its parts, may be changed to one that polls.
 */
export async function keepingFirstParts<T>(
  trx: Trx,
  actor: Actor,
  modelIds: readonly number[],
  write: () => Promise<T>,
): Promise<T> {
  const before = await queries.readFirstParts(trx, modelIds)
  const written = await write()
  const after = await queries.readFirstParts(trx, modelIds)
  const changed = modelIds.filter((id) => before.get(id) !== after.get(id))
  const scope = await scopeOf(trx, actor)
  if (changed.length > 0 && scope !== everything && (await queries.hasDevicesBeyond(trx, scope, changed)))
    refuse('modelPartReachesBeyond')
  return written
}

function refuseType(): never {
  refuseInput({ field: 'equipTypeId', message: '设备类型不存在' })
}

/** The part of a form. Refuses (400) an unknown part type; locks the type against deletion. */
async function partOf(
  trx: Trx,
  form: Pick<ParsedInputFor<typeof insertModelPart>, 'partType' | 'name' | 'remark' | 'addrCount'>,
): Promise<queries.ModelPartValues> {
  const { partType, name = null, remark = null, addrCount } = form
  const known = await lockPartTypesShared(trx, [partType])
  if (!known.has(partType)) refuseInput({ field: 'partType', message: '部件类型不存在' })
  return { partType, name, remark, addrCount }
}

const targetOf = ({ name }: { name: string }) => `设备型号 ${name}`
const partTargetOf = (modelName: string, partType: string) => `设备型号 ${modelName} 的部件 ${partType}`

/** What a form says of the model itself. */
function valuesOf(form: ParsedInputFor<typeof insertModel>): Omit<queries.ModelValues, 'equipTypeId'> {
  const { name, code, compartmentCount = null, compartmentColumns = null } = form
  return { name, code, compartmentCount, compartmentColumns }
}

const shownOf = ({
  name,
  code,
  equipTypeName,
  compartmentCount,
  compartmentColumns,
}: queries.ModelValues & { equipTypeName: string }) => ({
  name,
  code,
  equipType: equipTypeName,
  compartmentCount,
  compartmentColumns,
})

const shownPartOf = ({ partType, name, remark, addrCount }: queries.ModelPartValues) => ({
  partType,
  name,
  remark,
  addrCount,
})
