// The catalogue of readings as users see and change it.
import type {
  insertReadingDefinition,
  listReadingDefinitions,
  ParsedInputFor,
  updateReadingDefinition,
} from '@voltkeep/contract'
import { everything, scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { readingCatalogueChanged } from './catalogue.notices.ts'
import * as queries from './catalogue.queries.ts'

export type Catalogue = ReturnType<typeof createCatalogue>

/**
 * The catalogue of readings: one for all organizations, as the dictionary is. What it says decides which values of a type's
 * devices are kept, and taken for implausible: each change refuses `readingDefinitionReachesBeyond` to who does not see
 * all of these devices.
 */
export function createCatalogue({ db, notices }: { db: Db; notices: Pick<Notices, 'publish'> }) {
  const tellChanged = () => notices.publish(readingCatalogueChanged, [])

  return {
    async listReadingDefinitions(input: ParsedInputFor<typeof listReadingDefinitions>) {
      const { pageNum, pageSize, equipTypeId, keyword, id } = input
      const filter = {
        keyword,
        equipTypeId: equipTypeId === undefined ? undefined : idNumber(equipTypeId),
        id: id === undefined ? undefined : idNumber(id),
      }
      const [rows, total] = await Promise.all([
        queries.listDefinitions(db, filter, pageOf({ pageNum, pageSize })),
        queries.countDefinitions(db, filter),
      ])
      return { rows, total }
    },

    /** Refuses 409 `readingDefinitionTaken`, and 400 for an unknown type. */
    async insertReadingDefinition(actor: Actor, input: ParsedInputFor<typeof insertReadingDefinition>) {
      const id = await db.transaction().execute(async (trx) => {
        const { values, equipType } = await valuesOf(trx, input)
        await requireReach(trx, actor, [values.equipTypeId])
        const newId = await queries.insertDefinition(trx, values)
        await recordOperation(trx, actor, {
          target: targetOf({ ...values, equipTypeName: equipType }),
          changes: { after: shownOf(values, equipType) },
        })
        return newId
      })
      tellChanged()
      return { id }
    },

    /** Refuses `readingDefinitionNotFound`, `conflict`, and as `insertReadingDefinition` does. */
    async updateReadingDefinition(
      actor: Actor,
      input: ParsedInputFor<typeof updateReadingDefinition>,
    ): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...definitionOf(id), version }, async (trx, before) => {
        const { values, equipType } = await valuesOf(trx, input)
        await requireReach(trx, actor, [before.equipTypeId, values.equipTypeId])
        await queries.updateDefinition(trx, before.id, values)
        return { before: shownOf(before, before.equipTypeName), after: shownOf(values, equipType) }
      })
      tellChanged()
    },

    /** Refuses `readingDefinitionNotFound`. */
    async deleteReadingDefinition(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, definitionOf(id), async (trx, before) => {
        await requireReach(trx, actor, [before.equipTypeId])
        await queries.deleteDefinition(trx, before.id)
        return { before: shownOf(before, before.equipTypeName) }
      })
      tellChanged()
    },
  }
}

async function requireReach(trx: Trx, actor: Actor, typeIds: readonly number[]): Promise<void> {
  const scope = await scopeOf(trx, actor)
  if (scope !== everything && (await queries.hasDevicesBeyond(trx, scope, typeIds)))
    refuse('readingDefinitionReachesBeyond')
}

const definitionOf = (id: string): Subject<queries.DefinitionRow> => ({
  lock: (trx) => queries.lockDefinition(trx, idNumber(id)),
  notFound: 'readingDefinitionNotFound',
  target: targetOf,
})

/** What a form says, with the name of its type. Refuses (400) an unknown type. */
async function valuesOf(trx: Trx, form: ParsedInputFor<typeof insertReadingDefinition>) {
  const {
    unit = null,
    decimals = null,
    plausibleMin = null,
    plausibleMax = null,
    normalMin = null,
    normalMax = null,
    group = null,
  } = form
  const { key, name, deadband, longestSeconds, orderNum } = form
  const equipTypeId = idNumber(form.equipTypeId)
  const equipType =
    (await queries.findEquipTypeName(trx, equipTypeId)) ??
    refuseInput({ field: 'equipTypeId', message: '设备类型不存在' })
  const values: queries.DefinitionValues = {
    equipTypeId,
    key,
    name,
    unit,
    decimals,
    plausibleMin,
    plausibleMax,
    normalMin,
    normalMax,
    group,
    keepsHistory: form.keepsHistory === 1,
    deadband,
    longestSeconds,
    orderNum,
  }
  return { values, equipType }
}

const targetOf = ({ equipTypeName, key }: { equipTypeName: string; key: string }) =>
  `${equipTypeName}的读数 ${key}`

const shownOf = (values: queries.DefinitionValues, equipType: string) => ({
  equipType,
  key: values.key,
  name: values.name,
  unit: values.unit,
  decimals: values.decimals,
  plausibleMin: values.plausibleMin,
  plausibleMax: values.plausibleMax,
  normalMin: values.normalMin,
  normalMax: values.normalMax,
  group: values.group,
  keepsHistory: values.keepsHistory,
  deadband: values.deadband,
  longestSeconds: values.longestSeconds,
  orderNum: values.orderNum,
})
