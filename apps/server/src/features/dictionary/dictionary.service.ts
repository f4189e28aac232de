import {
  alarmType,
  highestBit,
  type insertDictionaryEntry,
  type listDictionary,
  type ParsedInputFor,
  type readEnums,
  type updateDictionaryEntry,
} from '@voltkeep/contract'
import type { Actor } from '../../platform/access/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/notices.ts'
import { recordOperation } from '../../platform/operation-log.ts'
import { Refusal, refuse, refuseInput } from '../../platform/refusal.ts'
import { isFixed, typesOf } from './dictionary.fixed.ts'
import * as queries from './dictionary.queries.ts'

type EntryForm = ParsedInputFor<typeof insertDictionaryEntry>

export type Dictionary = ReturnType<typeof createDictionary>

/**
 * Enumerations and semaphores alike: what codes are called, and what an alarm's bits mean. Nothing of it is
 * cached: a definition is in force with its commit.
 */
export function createDictionary({ db, notices }: { db: Db; notices: Pick<Notices, 'publish'> }) {
  const tellChanged = () => notices.publish('dictionaryChanged', {})

  return {
    /** Type -> its entries: the types asked for, empty where there are none, or all with the dictionary. */
    async readEnums({ types, type }: ParsedInputFor<typeof readEnums>) {
      const asked = [...(types ?? []), ...(type ?? [])]
      const entries = await queries.listEntriesOfTypes(db, asked.length > 0 ? asked : null)
      const byType = new Map<string, queries.EntryRow[]>(asked.map((one) => [one, []]))
      for (const entry of entries) {
        const ofType = byType.get(entry.type)
        if (ofType) ofType.push(entry)
        else byType.set(entry.type, [entry])
      }
      return Object.fromEntries([...byType].map(([one, rows]) => [one, rows.map(entryOf)]))
    },

    async listDictionary({ pageNum, pageSize, id, ...texts }: ParsedInputFor<typeof listDictionary>) {
      const filter = { ...texts, id: id === undefined ? undefined : idNumber(id) }
      const [rows, total] = await Promise.all([
        queries.listEntries(db, filter, { limit: pageSize, offset: (pageNum - 1) * pageSize }),
        queries.countEntries(db, filter),
      ])
      return { rows: rows.map((row) => ({ ...entryOf(row), isFixed: isFixed(row) })), total }
    },

    async listDictionaryTypes() {
      const [semaphoreTypes, counts] = await Promise.all([
        queries.listEntriesOfTypes(db, ['SEMAPHORE_TYPE']),
        queries.countByType(db),
      ])
      return typesOf(semaphoreTypes, counts)
    },

    /** Where the mobile app is to be had: kept as the note of an entry of type APP_ADDR. */
    async readNewestAppAddress() {
      const url = await queries.findNewestNote(db, 'APP_ADDR')
      return { url: url ?? refuse('downloadAddressMissing') }
    },

    async insertDictionaryEntry(actor: Actor, form: ParsedInputFor<typeof insertDictionaryEntry>) {
      const { definitions = [], ...values } = entryOfForm(form)
      const id = await db.transaction().execute(async (trx) => {
        await requireClassifies(trx, definitions)
        const newId = (await queries.insertEntry(trx, values)) ?? refuse('dictionaryCodeTaken')
        await queries.replaceDefinitions(trx, newId, definitions)
        await recordOperation(trx, actor, {
          target: targetOf(values),
          changes: { after: values.type === alarmType ? { ...values, definitions } : { ...values } },
        })
        return newId
      })
      tellChanged()
      return { id }
    },

    /** A change of code or type is to whoever knows the entry by them as if it had been deleted. */
    async updateDictionaryEntry(actor: Actor, form: ParsedInputFor<typeof updateDictionaryEntry>) {
      const { definitions: given, ...values } = entryOfForm(form)
      await db.transaction().execute(async (trx) => {
        const before = await lockEntry(trx, form.id)
        if (form.version !== undefined && form.version !== before.version) refuse('conflict')
        if (before.type !== values.type || before.code !== values.code) await requireFree(trx, before)
        const definitions = values.type === alarmType ? (given ?? before.definitions ?? []) : []
        if (given) await requireClassifies(trx, given)
        else requireBits(values.analysisType, definitions)
        await queries.updateEntry(trx, before.id, values)
        if (given || before.type !== values.type) {
          await queries.replaceDefinitions(trx, before.id, definitions)
        }
        await recordOperation(trx, actor, {
          target: targetOf(before),
          changes: entryChanges(before, { ...values, definitions }),
        })
      })
      tellChanged()
    },

    async deleteDictionaryEntry(actor: Actor, { id }: { id: string }): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const { id: entryId, version: _, ...before } = await lockEntry(trx, id)
        await requireFree(trx, before)
        await queries.deleteEntry(trx, entryId)
        await recordOperation(trx, actor, { target: targetOf(before), changes: { before: { ...before } } })
      })
      tellChanged()
    },

    /** Which of these codes the type has. They stay as they are until the transaction ends. */
    holdCodes: (trx: Trx, type: string, codes: readonly string[]) => queries.holdCodes(trx, type, codes),
  }
}

const entryOf = ({ definitions, ...entry }: queries.EntryRow) =>
  definitions ? { ...entry, definitions } : entry

/** What only alarms have is left out of any other entry. */
function entryOfForm({ code, name, type, note, alarmLevel, analysisType, definitions }: EntryForm) {
  const isAlarm = type === alarmType
  return {
    code,
    name,
    type,
    note,
    alarmLevel: isAlarm ? (alarmLevel ?? null) : null,
    analysisType: isAlarm ? (analysisType ?? null) : null,
    definitions: isAlarm ? definitions : undefined,
  }
}

async function lockEntry(trx: Trx, id: string): Promise<queries.EntryRow> {
  return (await queries.lockEntry(trx, idNumber(id))) ?? refuse('dictionaryEntryNotFound')
}

/** Refuses where something would no longer find the entry by its type and code, and says what. */
async function requireFree(trx: Trx, entry: { type: string; code: string }): Promise<void> {
  const { type, code } = entry
  if (isFixed(entry)) refuse('dictionaryEntryFixed')
  if (type === 'EQUIP_CLASSIFY' && (await queries.isClassifyUsed(trx, code))) refuse('equipClassifyInUse')
  if (type === 'USER_TYPE' && (await queries.isUserTypeUsed(trx, code))) refuse('userTypeInUse')
  if (type === 'SEMAPHORE_TYPE' && (await queries.isTypeUsed(trx, code))) refuse('semaphoreTypeInUse')
  // What is wrong right now must say what it is. The history shows the code where there is no name any more.
  if (type === alarmType && (await queries.isAlarmActive(trx, code))) refuse('alarmCodeActive')
}

async function requireClassifies(trx: Trx, definitions: readonly queries.DefinitionRow[]): Promise<void> {
  const codes = new Set(definitions.map(({ equipClassify }) => equipClassify))
  const known = await queries.holdCodes(trx, 'EQUIP_CLASSIFY', [...codes])
  const problems = definitions.flatMap(({ equipClassify }, index) =>
    known.has(equipClassify)
      ? []
      : [{ field: `definitions.${index}.equipClassify`, message: '设备类别不存在' }],
  )
  if (problems.length > 0) throw new Refusal('badInput', problems)
}

/** Definitions that are kept may not fit another way of reading the value. */
function requireBits(analysisType: string | null, definitions: readonly queries.DefinitionRow[]): void {
  if (analysisType !== 'BIT' || definitions.every(({ bitPosition }) => bitPosition <= highestBit)) return
  refuseInput({ field: 'definitions', message: `按位解析时位号应为0到${highestBit}` })
}

const targetOf = ({ type, code }: { type: string; code: string }) => `字典 ${type} ${code}`

/** Only what changed; of the definitions those that are in one and not in the other. */
function entryChanges(
  before: queries.EntryRow,
  after: queries.EntryValues & { definitions: readonly queries.DefinitionRow[] },
) {
  const keys = (['code', 'name', 'type', 'note', 'alarmLevel', 'analysisType'] as const).filter(
    (key) => before[key] !== after[key],
  )
  const changes = {
    before: Object.fromEntries(keys.map((key) => [key, before[key]])) as Record<string, unknown>,
    after: Object.fromEntries(keys.map((key) => [key, after[key]])) as Record<string, unknown>,
  }
  const gone = without(before.definitions ?? [], after.definitions)
  const come = without(after.definitions, before.definitions ?? [])
  if (gone.length > 0) changes.before.definitions = gone
  if (come.length > 0) changes.after.definitions = come
  return changes
}

function without(from: readonly queries.DefinitionRow[], others: readonly queries.DefinitionRow[]) {
  const keyOf = ({ bitPosition, equipClassify, name }: queries.DefinitionRow) =>
    JSON.stringify([bitPosition, equipClassify, name])
  const known = new Set(others.map(keyOf))
  return from.filter((definition) => !known.has(keyOf(definition)))
}
