// Mappings as users see and change them.

import { isUtf8 } from 'node:buffer'
import {
  type Ability,
  abilities,
  abilityNames,
  type activateMapping,
  type insertMapping,
  lackedBy,
  type listMappedMessages,
  type listMappings,
  type MappingDocument,
  type mappedCommands,
  type ParsedInputFor,
  protocolNames,
  type readMapping,
  type replayMapping,
  type SpokenProtocol,
  type tryMapping,
  type updateMapping,
} from '@voltkeep/contract'
import { downTopics } from '@voltkeep/contract/topics/index'
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
import { said } from '../../platform/process/language/speech.ts'
import { compileMapping, Fault, type Mapping, Memory, type Named, unusedPaths } from './engine/index.ts'
import { mappingsChanged } from './mappings.notices.ts'
import * as queries from './mappings.queries.ts'
import * as messages from './messages.queries.ts'

export type Mappings = ReturnType<typeof createMappings>

const keptVersions = 20
/** Messages that one replay goes through. */
const replayed = 500
const replayedRows = 100
const keptMs = 30 * 86_400_000

/**
 * A mapping is a shared row that ends on devices: what it makes of their messages, and of commands to them. So it is
 * changed by who sees every device that there is or comes; whoever may see mappings tries them, on messages of devices
 * of the own scope.
 */
export function createMappings({ db, notices }: { db: Db; notices: Pick<Notices, 'publishAtOnce'> }) {
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

    /** Refuses `mappingReachesBeyond`, 409 `mappingTaken` and `mappingModelTaken`, and 400 for what cannot be compiled. */
    async insertMapping(actor: Actor, input: ParsedInputFor<typeof insertMapping>) {
      const { name, isEnabled } = input
      const draft = draftOf(input)
      const id = await db.transaction().execute(async (trx) => {
        await requireReach(trx, actor)
        const models = await modelsOf(trx, input)
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

    /** Refuses `mappingNotFound`, `conflict`, and as `insertMapping` does. */
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
        return {
          before: shownOf(before),
          after: shownOf({ name, draft, isEnabled, modelNames: [...models.values()] }),
        }
      })
      tellChanged()
    },

    /** Refuses `mappingNotFound`, `mappingVersionNotFound`, `conflict` and `mappingReachesBeyond`. */
    async activateMapping(actor: Actor, input: ParsedInputFor<typeof activateMapping>): Promise<void> {
      const { id, no, note = null, version } = input
      await changing(db, actor, { ...mappingOf(id), version }, async (trx, before) => {
        await requireReach(trx, actor)
        const document = await documentOf(trx, before.id, no)
        compiled(document)
        if (no === undefined)
          await queries.insertVersion(trx, before.id, { document, note, createdByName: actor.loginName })
        else await queries.switchOn(trx, before.id, no)
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

    /** What the mapping makes of a message or a command. Nothing is read or written. */
    async tryMapping(input: ParsedInputFor<typeof tryMapping>) {
      const { mapping: given, topic, encoding, command } = input
      const nothing = {
        isMapped: false,
        isForeign: false,
        reports: [],
        faults: [],
        problems: [],
        unused: [],
        told: null,
      }
      const mapping = compileMapping(given)
      if ('problems' in mapping) return { ...nothing, problems: mapping.problems }
      const device = { code: input.code ?? codeIn(given, topic), protocolIdentity: null }
      const payload = bytesOf(input.payload, encoding)
      if (command !== undefined) return { ...nothing, ...toldBy(mapping, command, payload, device) }
      return { ...nothing, ...triedOn(mapping, { topic, payload, device }), unused: unusedIn(given, payload) }
    },

    /** The messages of devices of the caller's scope. */
    async listMappedMessages(actor: Actor, input: ParsedInputFor<typeof listMappedMessages>) {
      const { mappingId, outcome, code } = input
      const filter = {
        mappingId: idNumber(mappingId),
        outcome,
        code: code?.map((one) => one.toUpperCase()),
      }
      const scope = await scopeOf(db, actor)
      const [rows, total] = await Promise.all([
        messages.listMessages(db, scope, filter, pageOf(input)),
        messages.countMessages(db, scope, filter),
      ])
      return { rows: rows.map(shownMessage), total }
    },

    /** Refuses `mappingNotFound`, `mappingVersionNotFound`, and 400 where the document cannot be used. */
    async replayMapping(actor: Actor, { id, no }: ParsedInputFor<typeof replayMapping>) {
      const entry = (await queries.findMapping(db, idNumber(id))) ?? refuse('mappingNotFound')
      const mapping = compiled(await documentOf(db, entry.id, no))
      const kept = await messages.listMessages(
        db,
        await scopeOf(db, actor),
        { mappingId: entry.id },
        { limit: replayed, offset: 0 },
      )
      const counts = new Map<string, number>()
      const rows = kept.map((message) => {
        const result = triedOn(mapping, {
          topic: message.topic,
          payload: message.payload,
          device: { code: message.equipCode, protocolIdentity: message.protocolIdentity },
        })
        for (const { target } of result.reports) counts.set(target, (counts.get(target) ?? 0) + 1)
        return { ...shownMessage(message), result }
      })
      const isLost = (row: (typeof rows)[number]) => row.outcome === 'mapped' && !row.result.isMapped
      const mapped = rows.filter(({ result }) => result.isMapped).length
      const worst = (row: (typeof rows)[number]) => (isLost(row) ? 0 : row.result.isMapped ? 2 : 1)
      return {
        total: rows.length,
        mapped,
        unmapped: rows.length - mapped,
        lost: rows.filter(isLost).length,
        gained: rows.filter(({ outcome, result }) => outcome === 'unmapped' && result.isMapped).length,
        rows: rows.toSorted((a, b) => worst(a) - worst(b)).slice(0, replayedRows),
        reports: [...counts].map(([target, count]) => ({ target: target as 'alarm', count })),
      }
    },

    forgetMessages: () => messages.forgetMessages(db, new Date(Date.now() - keptMs)),
  }
}

/** What a device can be told by the protocol that it speaks. */
export async function spokenBy(db: Db, deviceId: number): Promise<SpokenProtocol> {
  const found = await queries.findOfDevice(db, deviceId)
  if (found && found.protocol !== 'mqtt')
    return { name: protocolNames[found.protocol], lacks: [...lackedBy[found.protocol]] }
  if (!found || found.name === null) return { name: said('标准协议'), lacks: [] }
  const mapping = found.document && compileMapping(found.document)
  const able = mapping && !('problems' in mapping) ? mapping.abilities : new Set<Ability>()
  return { name: found.name, lacks: abilities.filter((ability) => !able.has(ability)) }
}

/** Refuses `protocolLacks` where the device's protocol has no words for it. */
export async function requireAbility(db: Db, deviceId: number, ability: Ability): Promise<void> {
  const { lacks } = await spokenBy(db, deviceId)
  if (lacks.includes(ability))
    throw new Refusal('protocolLacks', null, `该设备的协议不支持${abilityNames[ability]}`)
}

async function requireReach(trx: Trx, { userId }: Actor): Promise<void> {
  if (!(await reachesEverything(trx, userId))) refuse('mappingReachesBeyond')
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
function draftOf({
  topic,
  format,
  time,
  messageId,
  rules,
  commands,
}: ParsedInputFor<typeof insertMapping>): MappingDocument {
  const document = { topic, format, ...(time && { time }), ...(messageId && { messageId }), rules, commands }
  compiled(document)
  return document
}

function compiled(document: MappingDocument): Mapping {
  const mapping = compileMapping(document)
  if (!('problems' in mapping)) return mapping
  const [first = '映射有误', ...others] = mapping.problems
  const problemOf = (message: string) => ({ field: 'rules', message })
  return refuseInput(problemOf(first), ...others.map(problemOf))
}

async function documentOf(reader: Db, id: number, no: number | undefined): Promise<MappingDocument> {
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

// ── Trials ───────────────────────────────────────────────────────────────────────────────────

function triedOn(
  mapping: Mapping,
  { topic, payload, device }: { topic: string; payload: Buffer; device: Named },
) {
  const memory = new Memory()
  // As if something had been asked of the device, so that its answer has what it answers.
  memory.sent('最近一条命令', 0, '最近一次升级')
  const { reports, faults, isMapped, isForeign } = mapping.understand(
    topic,
    payload,
    device,
    memory,
    Date.now(),
  )
  return {
    isMapped,
    isForeign,
    faults,
    reports: reports.map(({ name, payload: report }) => ({ target: name, payload: report })),
  }
}

function toldBy(mapping: Mapping, command: string, payload: Buffer, device: Named) {
  if (!Object.hasOwn(downTopics, command)) return { faults: [`没有命令 ${command}`] }
  const name = command as (typeof mappedCommands)[number]
  let body: unknown = downTopics[name].example
  if (payload.length > 0) {
    try {
      body = JSON.parse(payload.toString())
    } catch {
      return { faults: ['命令不是 JSON'] }
    }
  }
  if (typeof body !== 'object' || body === null) return { faults: ['命令应为 JSON 对象'] }
  const told = mapping.tell(name, body as Record<string, unknown>, device, new Memory())
  if (told === null) return { faults: ['没有命令适用'] }
  if (told instanceof Fault) return { faults: [told.text] }
  return { isMapped: true, told: { topic: told.topic, ...shownBytes(told.payload) } }
}

/** Whom a topic names by the pattern of the document, so that a trial need not ask. */
function codeIn({ topic: pattern, rules }: MappingDocument, topic: string): string {
  const levels = topic.split('/')
  for (const one of [pattern, ...rules.flatMap((rule) => rule.topic ?? [])]) {
    const parts = one.split('/')
    const fits =
      parts.length === levels.length && parts.every((part, at) => part.startsWith('{') || part === levels[at])
    const place = parts.indexOf('{code}')
    if (fits && place >= 0) return levels[place] ?? ''
  }
  return 'EC0001'
}

function unusedIn(document: MappingDocument, payload: Buffer): string[] {
  try {
    return unusedPaths(document, JSON.parse(payload.toString()))
  } catch {
    return []
  }
}

/** Refuses (400) what is no hexadecimal. */
function bytesOf(given: string, encoding: 'text' | 'hex'): Buffer {
  if (encoding === 'text') return Buffer.from(given)
  const digits = given.replace(/\s+/g, '')
  if (!/^([0-9a-fA-F]{2})*$/.test(digits))
    refuseInput({ field: 'payload', message: '报文应为成对的十六进制数字' })
  return Buffer.from(digits, 'hex')
}

const shownBytes = (bytes: Buffer): { payload: string; encoding: 'text' | 'hex' } => {
  const text = isUtf8(bytes) ? bytes.toString() : undefined
  const isText = text !== undefined && !/[\p{Cc}--[\n\r\t]]/v.test(text)
  return isText ? { payload: text, encoding: 'text' } : { payload: bytes.toString('hex'), encoding: 'hex' }
}

const shownMessage = ({ protocolIdentity: _, payload, ...row }: messages.ListedMessage) => ({
  ...row,
  ...shownBytes(payload),
})
