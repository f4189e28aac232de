// What mappings make of messages, before they are on: tried on one message, and on those that devices have sent.
import { setImmediate } from 'node:timers/promises'
import type { listMappedMessages, ParsedInputFor, replayMapping, tryMapping } from '@voltkeep/contract'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { compileMapping, type MappingUse } from '../engine/index.ts'
import { compiled } from '../mappings.rules.ts'
import { documentOf } from '../mappings.service.ts'
import * as queries from './messages.queries.ts'
import { bytesOf, codeIn, shownMessage, toldBy, triedOn, unusedIn } from './trials.rules.ts'

export type Trials = ReturnType<typeof createTrials>

/** Messages that one replay goes through. */
const replayed = 500
const replayedRows = 100
const keptMs = 30 * 86_400_000

/** Whoever may see mappings tries them, on messages of devices of the own scope. */
export function createTrials({ db, use }: { db: Db; use: MappingUse }) {
  return {
    /** What the mapping makes of a message or a command. Nothing is read or written. */
    async tryMapping(input: ParsedInputFor<typeof tryMapping>) {
      const { mapping: given, topic, encoding, command } = input
      const nothing = {
        isMapped: false,
        isForeign: false,
        reports: [],
        faults: [],
        notes: [],
        problems: [],
        unused: [],
        told: null,
      }
      const mapping = compileMapping(given, use)
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
        queries.listMessages(db, scope, filter, pageOf(input)),
        queries.countMessages(db, scope, filter),
      ])
      return { rows: rows.map(shownMessage), total }
    },

    /** Refuses `mappingNotFound`, `mappingVersionNotFound`, and 400 where the document cannot be used. */
    async replayMapping(actor: Actor, { id, no }: ParsedInputFor<typeof replayMapping>) {
      const mappingId = idNumber(id)
      const mapping = compiled(await documentOf(db, mappingId, no))
      const kept = await queries.listMessages(
        db,
        await scopeOf(db, actor),
        { mappingId },
        { limit: replayed, offset: 0 },
      )
      const counts = new Map<string, number>()
      const rows: (ReturnType<typeof shownMessage> & { result: ReturnType<typeof triedOn> })[] = []
      for (const message of kept) {
        // Each may take milliseconds.
        await setImmediate()
        const result = triedOn(mapping, {
          topic: message.topic,
          payload: message.payload,
          device: { code: message.equipCode, protocolIdentity: message.protocolIdentity },
        })
        for (const { target } of result.reports) counts.set(target, (counts.get(target) ?? 0) + 1)
        rows.push({ ...shownMessage(message), result })
      }
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

    forgetMessages: () => queries.forgetMessages(db, new Date(Date.now() - keptMs)),
  }
}
