// The table of error codes as users see and change it.
import type {
  insertOcppCode,
  listOcppCodes,
  listUnknownOcppCodes,
  ParsedInputFor,
  updateOcppCode,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { reachesEverything } from '../../domain/access/holdings.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import * as queries from './codes.queries.ts'
import { ocppCodesChanged } from './ocpp.notices.ts'

export type OcppCodes = ReturnType<typeof createOcppCodes>

/** The table says which alarms stations raise: it is changed by who sees every device that there is or comes. */
export function createOcppCodes({ db, notices }: { db: Db; notices: Pick<Notices, 'publishAtOnce'> }) {
  const tellChanged = () => notices.publishAtOnce(ocppCodesChanged, [])

  return {
    async listOcppCodes(input: ParsedInputFor<typeof listOcppCodes>) {
      const filter = {
        keyword: input.keyword,
        id: input.id === undefined ? undefined : idNumber(input.id),
      }
      const [rows, total] = await Promise.all([
        queries.listCodes(db, filter, pageOf(input)),
        queries.countCodes(db, filter),
      ])
      return { rows, total }
    },

    async listUnknownOcppCodes(actor: Actor, input: ParsedInputFor<typeof listUnknownOcppCodes>) {
      const scope = await scopeOf(db, actor)
      const [rows, total] = await Promise.all([
        queries.listUnknown(db, scope, pageOf(input)),
        queries.countUnknown(db, scope),
      ])
      return { rows, total }
    },

    /** Refuses `ocppCodeReachesBeyond`, 409 `ocppCodeTaken`, and 400 for an alarm that the dictionary has not. */
    async insertOcppCode(actor: Actor, input: ParsedInputFor<typeof insertOcppCode>) {
      const id = await db.transaction().execute(async (trx) => {
        const values = await valuesOf(trx, actor, input)
        const newId = await queries.insertCode(trx, values)
        await recordOperation(trx, actor, { target: targetOf(values), changes: { after: shownOf(values) } })
        return newId
      })
      tellChanged()
      return { id }
    },

    /** Refuses `ocppCodeNotFound`, `conflict`, and as `insertOcppCode` does. */
    async updateOcppCode(actor: Actor, input: ParsedInputFor<typeof updateOcppCode>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...codeOf(id), version }, async (trx, before) => {
        const values = await valuesOf(trx, actor, input)
        await queries.updateCode(trx, before.id, values)
        return { before: shownOf(before), after: shownOf(values) }
      })
      tellChanged()
    },

    /** Refuses `ocppCodeNotFound` and `ocppCodeReachesBeyond`. */
    async deleteOcppCode(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, codeOf(id), async (trx, before) => {
        await requireReach(trx, actor)
        await queries.deleteCode(trx, before.id)
        return { before: shownOf(before) }
      })
      tellChanged()
    },
  }
}

async function requireReach(trx: Trx, { userId }: Actor): Promise<void> {
  if (!(await reachesEverything(trx, userId))) refuse('ocppCodeReachesBeyond')
}

async function valuesOf(trx: Trx, actor: Actor, form: ParsedInputFor<typeof insertOcppCode>) {
  await requireReach(trx, actor)
  const { vendor = '', code, semaphoreCode, alarmValue = null, note = null } = form
  if (!(await queries.isAlarm(trx, semaphoreCode)))
    refuseInput({ field: 'semaphoreCode', message: '字典中没有该编码的告警' })
  return { vendor, code, semaphoreCode, alarmValue, note, updatedByName: actor.loginName }
}

const codeOf = (id: string): Subject<queries.CodeEntry> => ({
  lock: (trx) => queries.lockCode(trx, idNumber(id)),
  notFound: 'ocppCodeNotFound',
  target: targetOf,
})

const targetOf = ({ vendor, code }: { vendor: string; code: string }) =>
  `OCPP 故障码 ${[vendor, code].filter((part) => part !== '').join(' ')}`

const shownOf = ({
  vendor,
  code,
  semaphoreCode,
  alarmValue,
  note,
}: Omit<queries.CodeEntry, 'id' | 'version'>) => ({
  vendor,
  code,
  semaphoreCode,
  alarmValue,
  note,
})
