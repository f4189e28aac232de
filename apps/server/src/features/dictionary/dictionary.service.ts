// The dictionary as every user reads it and administrators change it.
import {
  alarmType,
  appAddressType,
  compartmentsNamed,
  eventType,
  highestBit,
  type insertDictionaryEntry,
  isWebAddress,
  type listCodes,
  type listDictionary,
  type listSemaphores,
  type ParsedInputFor,
  type readEnums,
  type updateDictionaryEntry,
} from '@voltkeep/contract'
import { reachesEverything } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { dictionaryChanged } from './dictionary.notices.ts'
import * as queries from './dictionary.queries.ts'
import { isFixed, typesOf } from './fixed-codes.ts'

type EntryForm = ParsedInputFor<typeof insertDictionaryEntry>

export type Dictionary = ReturnType<typeof createDictionary>

/**
 * Enumerations and semaphores: the names of codes, and the meaning of an alarm's bits. Nothing is cached, so a
 * definition is in effect with its commit.
 */
export function createDictionary({ db, notices }: { db: Db; notices: Pick<Notices, 'publish'> }) {
  const tellChanged = () => notices.publish(dictionaryChanged, [])

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

    /** The entries of the types asked for, or of all, type by type. */
    async listCodes({ types, type }: ParsedInputFor<typeof listCodes>) {
      const asked = [...(types ?? []), ...(type ?? [])]
      return (await queries.listEntriesOfTypes(db, asked.length > 0 ? asked : null)).map(entryOf)
    },

    /** The codes that devices report; empty for a type that is no type of semaphores. */
    async listSemaphores({ type, codes, equipClassify }: ParsedInputFor<typeof listSemaphores>) {
      const semaphoreTypes = await queries.listEntriesOfTypes(db, ['SEMAPHORE_TYPE'])
      const types = semaphoreTypes
        .map(({ code }) => code)
        .filter((code) => type === undefined || code === type)
      const entries = await queries.listEntriesOfTypes(db, types)
      return entries
        .filter(({ code }) => codes === undefined || codes.includes(code))
        .map(({ definitions, ...entry }) => {
          const meant = (definitions ?? []).filter(
            (one) => equipClassify === undefined || one.equipClassify === equipClassify,
          )
          return entryOf({ ...entry, definitions: definitions && meant })
        })
    },

    async listDictionary({ pageNum, pageSize, id, ...texts }: ParsedInputFor<typeof listDictionary>) {
      const filter = { ...texts, id: id === undefined ? undefined : idNumber(id) }
      const [rows, total] = await Promise.all([
        queries.listEntries(db, filter, pageOf({ pageNum, pageSize })),
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

    /**
     * The download address of the mobile app: the note of the newest entry of type APP_ADDR. Refuses
     * `downloadAddressMissing` where there is none, and where it is no address of the web: anybody may press it.
     */
    async readNewestAppAddress() {
      const url = (await queries.findNewestNote(db, appAddressType))?.trim() ?? ''
      return isWebAddress(url) ? { url } : refuse('downloadAddressMissing')
    },

    /**
     * Refuses 409 `dictionaryCodeTaken`, 400 for a definition of an unknown equipment class, and what `requireReach` does
     * for a code of alarms.
     */
    async insertDictionaryEntry(actor: Actor, form: ParsedInputFor<typeof insertDictionaryEntry>) {
      const { definitions = [], ...values } = entryOfForm(form)
      const id = await db.transaction().execute(async (trx) => {
        await requireReach(trx, actor, values.type)
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

    /**
     * Refuses `dictionaryEntryNotFound`, `conflict`, `dictionaryCodeTaken`, what `requireFree` does where type or code
     * change, what `requireReach` does where a code of alarms is to mean something else, and 400 for definitions of an
     * unknown equipment class or with bits that the analysis cannot have.
     */
    async updateDictionaryEntry(actor: Actor, form: ParsedInputFor<typeof updateDictionaryEntry>) {
      const { id, version } = form
      const { definitions: given, ...formed } = entryOfForm(form)
      await changing(db, actor, { ...subjectOf(id), version }, async (trx, before) => {
        const values =
          form.isFire === undefined && formed.type === before.type
            ? { ...formed, isFire: before.isFire }
            : formed
        // Rows that refer to the entry by type and code would lose it, as in a deletion.
        if (before.type !== values.type || before.code !== values.code) await requireFree(trx, before)
        const definitions = values.type === alarmType ? (given ?? before.definitions ?? []) : []
        if (given) await requireClassifies(trx, given)
        else requireBits(values.analysisType, definitions)
        const changes = entryChanges(before, values, definitions)
        if (isOtherMeaning(before, values, changes) || namesOtherCompartments(before, values.name))
          await requireReach(trx, actor, alarmType)
        for (const { type } of [before, values])
          if (type === appAddressType) await requireReach(trx, actor, type)
        await queries.updateEntry(trx, before.id, values)
        if (given || before.type !== values.type) {
          await queries.replaceDefinitions(trx, before.id, definitions)
        }
        return changes
      })
      tellChanged()
    },

    /** Refuses `dictionaryEntryNotFound`, what `requireFree` does, and of a code of alarms what `requireReach` does. */
    async deleteDictionaryEntry(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, subjectOf(id), async (trx, before) => {
        await requireFree(trx, before)
        await requireReach(trx, actor, before.type)
        await queries.deleteEntry(trx, before.id)
        const { id: _, version: __, ...shown } = before
        return { before: shown }
      })
      tellChanged()
    },

    /** Which of these codes the type has; locks their entries until the transaction ends. */
    lockCodesShared: (trx: Trx, type: string, codes: readonly string[]) =>
      queries.lockCodesShared(trx, type, codes),
  }
}

const entryOf = ({ definitions, ...entry }: queries.EntryRow) =>
  definitions ? { ...entry, definitions } : entry

/** Fields that only alarms or only events have are null in any other entry. */
function entryOfForm({
  code,
  name,
  type,
  note,
  unit,
  alarmLevel,
  analysisType,
  isFire,
  definitions,
}: EntryForm) {
  const isAlarm = type === alarmType
  return {
    code,
    name,
    type,
    note,
    unit: type === eventType ? (unit ?? null) : null,
    alarmLevel: isAlarm ? (alarmLevel ?? null) : null,
    analysisType: isAlarm ? (analysisType ?? null) : null,
    isFire: isAlarm && isFire === 1,
    definitions: isAlarm ? definitions : undefined,
  }
}

const subjectOf = (id: string): Subject<queries.EntryRow> => ({
  lock: (trx) => queries.lockEntry(trx, idNumber(id)),
  notFound: 'dictionaryEntryNotFound',
  target: targetOf,
})

/**
 * Refuses (409) where something refers to the entry by its type and code, and says what: `dictionaryEntryFixed`,
 * `equipClassifyInUse`, `userTypeInUse`, `semaphoreTypeInUse` or `alarmCodeActive`.
 */
async function requireFree(trx: Trx, entry: { type: string; code: string }): Promise<void> {
  const { type, code } = entry
  if (isFixed(entry)) refuse('dictionaryEntryFixed')
  if (type === 'EQUIP_CLASSIFY' && (await queries.isClassifyUsed(trx, code))) refuse('equipClassifyInUse')
  if (type === 'USER_TYPE' && (await queries.isUserTypeUsed(trx, code))) refuse('userTypeInUse')
  if (type === 'SEMAPHORE_TYPE' && (await queries.isTypeUsed(trx, code))) refuse('semaphoreTypeInUse')
  // An active alarm needs its name. The history shows the code where there is no name any more.
  if (type === alarmType && (await queries.isAlarmActive(trx, code))) refuse('alarmCodeActive')
}

/**
 * What a code of alarms means decides about devices of all organizations: whether a door behind which something burns needs
 * a second person, who is told of an alarm, what stops a rollout. The address of the mobile app is where the users of all
 * organizations get it from. Refuses `alarmCodeReachesBeyond` and `appAddressReachesBeyond` to who does not see all devices;
 * entries of other types are free.
 */
async function requireReach(trx: Trx, { userId }: Actor, type: string): Promise<void> {
  if (type !== alarmType && type !== appAddressType) return
  if (!(await reachesEverything(trx, userId)))
    refuse(type === alarmType ? 'alarmCodeReachesBeyond' : 'appAddressReachesBeyond')
}

/** Whether more of a code of alarms changes than its name and its note; where an alarm of fire has one, its name, too. */
function isOtherMeaning(
  before: queries.EntryRow,
  after: queries.EntryValues,
  changes: ReturnType<typeof entryChanges>,
): boolean {
  if (before.type !== alarmType && after.type !== alarmType) return false
  const free = before.isFire ? ['note'] : ['note', 'name']
  return [changes.before, changes.after].some((side) => Object.keys(side).some((key) => !free.includes(key)))
}

/**
 * Whether the name puts an alarm into other compartments: a shelf of a compartment goes by the name where a meaning says
 * none, or leaves out what the name says (`2号` of 仓位过温).
 */
const namesOtherCompartments = (
  { type, name: former, definitions }: queries.EntryRow,
  name: string,
): boolean =>
  type === alarmType &&
  (definitions ?? []).some(({ name: meaning }) => {
    const [before, after] = [former, name].map((semaphoreName) =>
      compartmentsNamed({ meaning, semaphoreName }).join(),
    )
    return before !== after
  })

async function requireClassifies(trx: Trx, definitions: readonly queries.DefinitionRow[]): Promise<void> {
  const codes = new Set(definitions.map(({ equipClassify }) => equipClassify))
  const known = await queries.lockCodesShared(trx, 'EQUIP_CLASSIFY', [...codes])
  const problems = definitions.flatMap(({ equipClassify }, index) =>
    known.has(equipClassify)
      ? []
      : [{ field: `definitions.${index}.equipClassify`, message: '设备类别不存在' }],
  )
  if (problems.length > 0) throw new Refusal('badInput', problems)
}

/** Definitions that are kept may not fit the new type of analysis: refused (400). */
function requireBits(analysisType: string | null, definitions: readonly queries.DefinitionRow[]): void {
  if (analysisType !== 'BIT' || definitions.every(({ bitPosition }) => bitPosition <= highestBit)) return
  refuseInput({ field: 'definitions', message: `按位解析时位号应为 0 到 ${highestBit}` })
}

const targetOf = ({ type, code }: { type: string; code: string }) => `字典 ${type} ${code}`

/** Only what changed; of the definitions, those removed and those added. */
function entryChanges(
  before: queries.EntryRow,
  after: queries.EntryValues,
  definitions: readonly queries.DefinitionRow[],
) {
  const changes = differenceOf(before, after)
  const removed = without(before.definitions ?? [], definitions)
  const added = without(definitions, before.definitions ?? [])
  if (removed.length > 0) changes.before.definitions = removed
  if (added.length > 0) changes.after.definitions = added
  return changes
}

function without(from: readonly queries.DefinitionRow[], others: readonly queries.DefinitionRow[]) {
  const keyOf = ({ bitPosition, equipClassify, name }: queries.DefinitionRow) =>
    JSON.stringify([bitPosition, equipClassify, name])
  const known = new Set(others.map(keyOf))
  return from.filter((definition) => !known.has(keyOf(definition)))
}
