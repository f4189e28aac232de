/**
 * Batch settings as users see and make them. A user sees the batches of the own organization and of the ones under it,
 * and of their devices those in the own data scope.
 */
import {
  type exportLeftOutOfBatch,
  type FileReply,
  failedBatchDeviceStates,
  type insertParameterBatch,
  type listBatchDevices,
  type listBatchLog,
  type listParameterBatches,
  type ParsedInputFor,
  parameterName,
  type previewParameterBatch,
} from '@voltkeep/contract'
import { codesSeen } from '../../domain/access/choices-seen.ts'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { leftOutFile } from '../../domain/device-work/left-out.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { fileNameAt, refuseTooManyRows, spreadsheet } from '../../platform/files/sheets/spreadsheet.ts'
import { rangeEdges } from '../../platform/process/clock.ts'
import { devicesChosen } from '../devices/index.ts'
import type { BatchDeeds } from './batch-deeds.ts'
import { isBeyondControl } from './batches.deciders.ts'
import { failedDevicesSheet } from './batches.export.ts'
import * as queries from './batches.queries.ts'
import { paramOf, previewOf, wantedOf } from './batches.rules.ts'
import {
  leftOutBy,
  lists,
  planOfValues,
  previewTrial,
  readTrialAlarms,
  skipTexts,
  summarize,
} from './targets/index.ts'
import { type Trial, trialStateOf } from './trial.rules.ts'
import { readTrialsNow, type TrialNow } from './trial-now.ts'

export type ParameterBatches = ReturnType<typeof createParameterBatches>

export interface BatchNeeds {
  db: Db
  /** Of these codes, those that name no device in the scope. */
  listUnknownCodes: (scope: DataScope, codes: readonly string[]) => Promise<string[]>
  deeds: BatchDeeds
}

const exportedAtOnce = 1_000

export function createParameterBatches({ db, listUnknownCodes, deeds }: BatchNeeds) {
  const find = async (actor: Actor, id: string) =>
    (await queries.findBatch(db, actor, idNumber(id))) ?? refuse('parameterBatchNotFound')

  return {
    async listBatches(actor: Actor, input: ParsedInputFor<typeof listParameterBatches>) {
      const { code, name, state: states, ids } = input
      const filter = { ...rangeEdges(input), code, name, states, ids: ids?.map(idNumber) }
      const [batches, total, scope] = await Promise.all([
        queries.listBatches(db, actor, filter, pageOf(input)),
        queries.countBatches(db, actor, filter),
        scopeOf(db, actor),
      ])
      return { rows: await rowsOf(actor, scope, batches), total }
    },

    /** Throws `parameterBatchNotFound`. */
    async readBatch(actor: Actor, id: string) {
      const batch = await find(actor, id)
      const scope = await scopeOf(db, actor)
      const [[row], reasons, trialResult, isBeyond, isOthers] = await Promise.all([
        rowsOf(actor, scope, [batch]),
        lists.listReasons(db, scope, batch.id),
        batch.trial && trialResultOf(scope, batch.id),
        queries.reachesBeyond(db, scope, batch.id),
        isBeyondControl(db, scope, { ...batch, createdByName: batch.createBy }),
      ])
      if (!row) throw new Error('a batch has a row')
      return { ...row, reasons, trialResult, isWhole: !isBeyond, isStoppable: !isOthers }
    },

    /** The effect that the batch would have now, on devices that the caller sees. */
    async previewBatch(
      actor: Actor,
      { entitys, queryParam, trial: asked }: ParsedInputFor<typeof previewParameterBatch>,
    ) {
      const scope = await scopeOf(db, actor)
      const wanted = wantedOf(entitys)
      const [matching, unknownCodes] = await Promise.all([
        devicesChosen(db, scope, queryParam),
        listUnknownCodes(scope, queryParam.codes ?? []),
      ])
      const plan = planOfValues(matching, wanted)
      const [summary, trial] = await Promise.all([
        summarize(db, plan, wanted),
        asked ? previewTrial(db, plan, asked) : null,
      ])
      return previewOf(summary, wanted, unknownCodes, trial)
    },

    /** An .xlsx of the devices that the batch would leave out now, of those that the caller sees. */
    async exportLeftOut(
      actor: Actor,
      { entitys, queryParam }: ParsedInputFor<typeof exportLeftOutOfBatch>,
    ): Promise<FileReply> {
      const matching = await devicesChosen(db, await scopeOf(db, actor), queryParam)
      const plan = planOfValues(matching, wantedOf(entitys))
      return leftOutFile(db, '不设置的设备', leftOutBy(plan), skipTexts)
    },

    /**
     * Resolves the devices that the caller sees, and begins, or waits for a second person. Refuses (400) a choice without
     * devices.
     */
    async insertBatch(actor: Actor, form: ParsedInputFor<typeof insertParameterBatch>) {
      const { answer, afterCommit } = await db
        .transaction()
        .execute((trx) => deeds.carryOut(trx, actor, { call: 'insert', form }, null))
      afterCommit()
      return answer
    },

    async listDevices(actor: Actor, input: ParsedInputFor<typeof listBatchDevices>) {
      const { id: batchId } = await find(actor, input.id)
      const scope = await scopeOf(db, actor)
      const { states, reason, code, ids } = input
      const isTrial = input.isTrial === undefined ? undefined : input.isTrial === 1
      const filter = { batchId, states, reason, code, isTrial, ids }
      const [rows, total] = await Promise.all([
        lists.listTargets(db, scope, filter, pageOf(input)),
        lists.countTargets(db, scope, filter),
      ])
      return { rows: rows.map((row) => ({ ...row, values: row.values.map(named) })), total }
    },

    async listLog(actor: Actor, input: ParsedInputFor<typeof listBatchLog>) {
      const { id: batchId } = await find(actor, input.id)
      const scope = await scopeOf(db, actor)
      const { results, code, targetId } = input
      const filter = { batchId, results, code, targetId }
      const [rows, total] = await Promise.all([
        lists.listLog(db, scope, filter, pageOf(input)),
        lists.countLog(db, scope, filter),
      ])
      return {
        rows: rows.map(({ wanted, ...row }) => ({
          ...row,
          values: paramOf(wanted) as { id: string; name: string; value: string }[],
        })),
        total,
      }
    },

    /** An .xlsx of the devices that failed, as far as the caller sees them. */
    async exportFailed(actor: Actor, id: string): Promise<FileReply> {
      const batch = await find(actor, id)
      const scope = await scopeOf(db, actor)
      const filter = { batchId: batch.id, states: failedBatchDeviceStates }
      refuseTooManyRows(await lists.countTargets(db, scope, filter))
      return {
        fileName: fileNameAt(`设置失败的设备_${batch.code}`, new Date()),
        body: spreadsheet(failedDevicesSheet, () => failedInBatches(scope, filter)),
      }
    },
  }

  async function rowsOf(actor: Actor, scope: DataScope, batches: readonly queries.BatchRecord[]) {
    const [counts, trials, seen] = await Promise.all([
      lists.readCounts(
        db,
        scope,
        batches.map(({ id }) => id),
      ),
      readTrialsNow(db, scope, batches),
      codesSeen(db, scope, { choices: batches.map(({ devices }) => devices) }),
    ])
    return batches.map(
      ({ wanted, maxAttempts, intervalMinutes, endsAt, devices, createdBy, approvedByName, ...batch }) => ({
        ...batch,
        trial: batch.trial && trialShown(batch, batch.trial, trials.get(batch.id)),
        approvedBy: approvedByName,
        param: paramOf(wanted),
        paramSetRule: { upgradeCount: maxAttempts, interval: intervalMinutes, endTime: endsAt },
        // Who made the choice may have named devices that this reader does not see: of a restoration, the origin's maker.
        queryParam: seen.choice(devices, createdBy === actor.userId && batch.kind === 'set'),
        counts: counts.get(batch.id) ?? lists.noDevices,
      }),
    )
  }

  /** What the trial has come to, on devices in the scope. */
  async function trialResultOf(scope: DataScope, batchId: number) {
    const [reasons, alarms] = await Promise.all([
      lists.listReasons(db, scope, batchId, { isTrial: true }),
      readTrialAlarms(db, scope, batchId),
    ])
    return { reasons, ...alarms }
  }

  async function* failedInBatches(scope: DataScope, filter: lists.TargetFilter) {
    let after = '0'
    for (;;) {
      const rows = await lists.listTargets(db, scope, filter, { limit: exportedAtOnce, offset: 0, after })
      yield rows
      const last = rows.at(-1)
      if (!last || rows.length < exportedAtOnce) return
      after = last.id
    }
  }
}

const trialShown = (
  { state, continuedByName }: Pick<queries.BatchRecord, 'state' | 'continuedByName'>,
  trial: Trial,
  { counts, autoTime }: TrialNow = { counts: lists.noDevices, autoTime: null },
) => ({
  state: trialStateOf(state, trial),
  devices: trial.devices,
  autoMinutes: trial.autoMinutes,
  endTime: trial.endedAt,
  continueTime: trial.continuedAt,
  continueBy: continuedByName,
  autoTime,
  counts,
})

const named = <Entry extends { id: string }>(entry: Entry) => ({ ...entry, name: parameterName(entry.id) })
