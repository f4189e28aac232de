// Mappings as users see and change them.

import {
  type activateMapping,
  type insertMapping,
  type listMappings,
  MappingDocument,
  mappingsAtMost,
  type ParsedInputFor,
  type readMapping,
  type updateMapping,
} from '@voltkeep/contract'
import * as z from 'zod/mini'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { reachesEverything } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'

import { isUnclear, type MappingUse } from './engine/index.ts'
import { mappingsChanged } from './mappings.notices.ts'
import * as queries from './mappings.queries.ts'
import { compiled } from './mappings.rules.ts'

export type Mappings = ReturnType<typeof createMappings>

const keptVersions = 20

/**
 * A mapping is a shared row that ends on devices: what it makes of their messages, and of commands to them. So it is
 * changed by who sees every device that there is or comes.
 */
export function createMappings({
  db,
  notices,
  use,
}: {
  db: Db
  notices: Pick<Notices, 'publishAtOnce'>
  use: MappingUse
}) {
  /** At an external broker the topic alone says who sends. */
  const requireClear = async (trx: Trx, id: number) => {
    if (use.isShared) refuseUnclear(await queries.lockTopics(trx), id)
  }
  const tellChanged = () => notices.publishAtOnce(mappingsChanged, [])

  return {
    async listMappings(actor: Actor, input: ParsedInputFor<typeof listMappings>) {
      const { pageNum, pageSize, keyword, id } = input
      const filter = { keyword, id: id === undefined ? undefined : idNumber(id) }
      const scope = await scopeOf(db, actor)
      const [rows, total] = await Promise.all([
        queries.listMappings(db, scope, filter, pageOf({ pageNum, pageSize })),
        queries.countMappings(db, filter),
      ])
      return { rows, total }
    },

    /** Refuses `mappingNotFound` and `mappingVersionNotFound`. */
    async readMapping(actor: Actor, { id, no }: ParsedInputFor<typeof readMapping>) {
      const scope = await scopeOf(db, actor)
      const [row] = await queries.listMappings(db, scope, { id: idNumber(id) }, { limit: 1, offset: 0 })
      if (!row) return refuse('mappingNotFound')
      const [document, versions] = await Promise.all([
        documentOf(db, row.id, no),
        queries.listVersions(db, row.id),
      ])
      return { ...row, document, versions }
    },

    /**
     * Refuses `mappingReachesBeyond`, 409 `mappingTaken`, `mappingModelTaken` and `tooManyMappings`, and 400 for what cannot be
     * compiled.
     */
    async insertMapping(actor: Actor, input: ParsedInputFor<typeof insertMapping>) {
      const { name, isEnabled } = input
      const draft = draftOf(input)
      const id = await db.transaction().execute(async (trx) => {
        await requireReach(trx, actor)
        const models = await modelsOf(trx, input)
        if ((await queries.lockCount(trx)) >= mappingsAtMost) refuse('tooManyMappings')
        const newId = await queries.insertMapping(trx, {
          name,
          draft,
          isEnabled,
          updatedByName: actor.loginName,
        })
        await queries.setModels(trx, newId, [...models.keys()])
        await recordOperation(trx, actor, {
          target: targetOf({ name }),
          changes: { after: shownOf({ name, draft, isEnabled, modelNames: [...models.values()] }) },
        })
        return newId
      })
      tellChanged()
      return { id }
    },

    /** Refuses `mappingNotFound`, `conflict`, 409 `mappingTopicsUnclear` where it is on from now, and as `insertMapping` does. */
    async updateMapping(actor: Actor, input: ParsedInputFor<typeof updateMapping>): Promise<void> {
      const { id, name, isEnabled, version } = input
      const draft = draftOf(input)
      await changing(db, actor, { ...mappingOf(id), version }, async (trx, before) => {
        await requireReach(trx, actor)
        const models = await modelsOf(trx, input)
        await queries.updateMapping(trx, before.id, {
          name,
          draft,
          isEnabled,
          updatedByName: actor.loginName,
        })
        await queries.setModels(trx, before.id, [...models.keys()])
        if (isEnabled && !before.isEnabled) await requireClear(trx, before.id)
        return {
          before: shownOf(before),
          after: shownOf({ name, draft, isEnabled, modelNames: [...models.values()] }),
        }
      })
      tellChanged()
    },

    /** Refuses `mappingNotFound`, `mappingVersionNotFound`, `conflict`, `mappingReachesBeyond` and 409 `mappingTopicsUnclear`. */
    async activateMapping(actor: Actor, input: ParsedInputFor<typeof activateMapping>): Promise<void> {
      const { id, no, note = null, version } = input
      await changing(db, actor, { ...mappingOf(id), version }, async (trx, before) => {
        await requireReach(trx, actor)
        const document = await documentOf(trx, before.id, no)
        compiled(document)
        if (no === undefined)
          await queries.insertVersion(trx, before.id, { document, note, createdByName: actor.loginName })
        else await queries.switchOn(trx, before.id, no)
        await requireClear(trx, before.id)
        await queries.trimVersions(trx, before.id, keptVersions)
        await queries.touchMapping(trx, before.id, actor.loginName)
        const { activeNo } = (await queries.findMapping(trx, before.id)) ?? before
        return { before: { mappingVersion: before.activeNo }, after: { mappingVersion: activeNo, note } }
      })
      tellChanged()
    },

    /** Refuses `mappingNotFound` and `mappingReachesBeyond`. */
    async deleteMapping(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, mappingOf(id), async (trx, before) => {
        await requireReach(trx, actor)
        await queries.deleteMapping(trx, before.id)
        return { before: shownOf(before) }
      })
      tellChanged()
    },
  }
}

async function requireReach(trx: Trx, { userId }: Actor): Promise<void> {
  if (!(await reachesEverything(trx, userId))) refuse('mappingReachesBeyond')
}

/** Refuses a mapping with a topic that could be of two devices, by it and by another one that is on, or by it alone. */
function refuseUnclear(all: Awaited<ReturnType<typeof queries.lockTopics>>, id: number): void {
  const own = all.find((one) => one.id === id)?.topics ?? []
  for (const { name, topics } of all)
    for (const other of topics)
      for (const topic of own)
        if (isUnclear(topic, other))
          throw new Refusal(
            'mappingTopicsUnclear',
            null,
            `主题 ${topic} 与已启用的报文映射 ${name} 的主题 ${other} 重叠，设备标识不在同一级，无法确定报文来自哪台设备`,
          )
}

const mappingOf = (id: string): Subject<queries.MappingEntry> => ({
  lock: (trx) => queries.lockMapping(trx, idNumber(id)),
  notFound: 'mappingNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `报文映射 ${name}`

const shownOf = ({
  name,
  draft: { topic, rules, commands },
  isEnabled,
  modelNames,
}: Pick<queries.MappingEntry, 'name' | 'draft' | 'isEnabled' | 'modelNames'>) => ({
  name,
  equipModels: modelNames,
  topic,
  ruleCount: rules.length,
  commandCount: commands.length,
  isEnabled,
})

/** The document of a form. Refuses (400) what cannot be compiled, with all that is wrong. */
function draftOf(form: ParsedInputFor<typeof insertMapping>): MappingDocument {
  const document = z.parse(MappingDocument, form)
  compiled(document)
  return document
}

/** The draft, or a version by its number. Refuses `mappingNotFound` and `mappingVersionNotFound`. */
export async function documentOf(reader: Db, id: number, no: number | undefined): Promise<MappingDocument> {
  if (no !== undefined)
    return (await queries.findDocument(reader, id, no)) ?? refuse('mappingVersionNotFound')
  return ((await queries.findMapping(reader, id)) ?? refuse('mappingNotFound')).draft
}

/** Refuses (400) models that do not exist. */
async function modelsOf(
  trx: Trx,
  { modelIds }: { modelIds: readonly string[] },
): Promise<Map<number, string>> {
  const ids = [...new Set(modelIds.map(idNumber))]
  const models = await queries.findModelNames(trx, ids)
  if (models.size < ids.length) refuseInput({ field: 'modelIds', message: '设备型号不存在' })
  return models
}
