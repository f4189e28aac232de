/**
 * Extractions as users make and see them. A user sees those of devices in the own data scope; whoever may extract may
 * also cancel another user's extraction there.
 */
import type {
  cancelLogExtraction,
  extractLog,
  FileReply,
  KeptFile,
  listLogExtractions,
  ParsedInputFor,
  StoredFile,
} from '@voltkeep/contract'
import { scopeOf } from '../../domain/access/data-scope.ts'
import { ofIds } from '../../domain/device-work/work.queries.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { rangeEdges } from '../../platform/process/clock.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { SpokenProtocols } from '../mappings/index.ts'
import { waitForEnd } from './extraction-end.ts'
import { findLevel, type LogLevelRow } from './levels/index.ts'
import * as queries from './log-extraction.queries.ts'
import { addressLifeMs, beginWithinMs, logRange, runningPerUser } from './log-extraction.rules.ts'
import { extractions, type MovingExtraction } from './log-extraction.work.ts'
import { logFileName } from './log-file-name.ts'
import { uploadPurpose } from './log-uploads.ts'

export type LogExtractions = ReturnType<typeof createLogExtractions>

export interface LogExtractionNeeds {
  requireAbility: SpokenProtocols['requireAbility']
  db: Db
  files: Pick<Files, 'find' | 'uploadAddressFor'>
  commands: Pick<Commands, 'send' | 'cancel'>
  notices: Pick<Notices, 'subscribe'>
  /** The largest log that is accepted, in bytes. */
  limitBytes: number
  retentionDays: number
  /** Called after the commit. */
  tellAdded: (id: string) => void
  tellChanged: (extractions: readonly MovingExtraction[]) => void
}

type Form = ParsedInputFor<typeof extractLog>

const dayMs = 86_400_000

export function createLogExtractions(needs: LogExtractionNeeds) {
  const { db, files, commands, notices, requireAbility, limitBytes, retentionDays, tellAdded, tellChanged } =
    needs

  /**
   * Writes the extraction and its command. Refuses (400) a range, a level or a file type that cannot be, then
   * `deviceNotFound`, `protocolLacks`, `logDeviceOffline`, `logExtractionRunning` and `tooManyLogExtractions`.
   */
  async function start(actor: Actor, form: Form): Promise<string> {
    const param = form.logExtractParam
    const range = logRange(param)
    const level = await levelOf(form)
    const nowMs = sharedNowMs()
    const deadline = new Date(nowMs + beginWithinMs)
    const endsAt = new Date(nowMs + addressLifeMs)
    const id = await db.transaction().execute(async (trx) => {
      const device = await deviceOf(trx, actor, form)
      if ((await queries.countRunningOf(trx, actor.userId)) >= runningPerUser) refuse('tooManyLogExtractions')
      const newId = await queries.insertExtraction(trx, {
        deviceId: device.id,
        level,
        range,
        deadline,
        endsAt,
        createdBy: actor.userId,
        createdByName: actor.loginName,
      })
      const [commandId] = await commands.send(trx, [
        {
          deviceId: device.id,
          deviceCode: device.code,
          topic: 'extractLog',
          deadline,
          body: {
            extractionId: newId,
            level: level.code,
            fileType: level.fileType,
            startTime: range.from.getTime(),
            endTime: range.to.getTime(),
            url: files.uploadAddressFor(device.code, uploadPurpose, newId, { expiresAt: endsAt }),
            maxBytes: limitBytes,
          },
        },
      ])
      await queries.setCommand(trx, newId, commandId as string)
      await extractions.wake(trx, beginWithinMs)
      await recordOperation(trx, actor, {
        target: `设备 ${device.code}`,
        changes: {
          after: { level: level.name, startTime: param.startTime, endTime: param.endTime },
        },
      })
      return newId
    })
    tellAdded(id)
    return id
  }

  /** Refuses `logExtractionNotFound`, and `logFileMissing` where there is no file or no more. */
  async function fileOf(actor: Actor, id: string): Promise<StoredFile> {
    const record =
      (await queries.findExtraction(db, await scopeOf(db, actor), id)) ?? refuse('logExtractionNotFound')
    if (record.fileId === null) refuse('logFileMissing')
    // With the name that the list shows, whatever the device called it.
    return { ...(await files.find(record.fileId)), name: logFileName(record) }
  }

  return {
    /**
     * Makes an extraction and returns its file when the device has uploaded it. Besides what a start refuses:
     * `logExtractionFailed` with the reason, and `logExtractionTimedOut` where the file does not come in time; the
     * extraction goes on then, and also where the caller has gone.
     */
    async extractLog(
      actor: Actor,
      form: Form,
      { signal, leaveTurn }: { signal: AbortSignal; leaveTurn: () => void },
    ): Promise<FileReply> {
      const id = await start(actor, form)
      leaveTurn()
      const outcome = await waitForEnd(id, { db, notices, signal, timeoutMs: beginWithinMs })
      if (!outcome) throw await stillUnderWay(id)
      switch (outcome.state) {
        case 'done': {
          const file = await fileOf(actor, id)
          return { file: { ...file, contentType: 'application/octet-stream' }, disposition: 'attachment' }
        }
        case 'cancelled':
          throw new Refusal('logExtractionFailed', null, '日志提取已取消')
        default:
          if (outcome.isLate) throw new Refusal('logExtractionTimedOut')
          throw new Refusal('logExtractionFailed', null, outcome.reason ?? undefined)
      }
    },

    async startLogExtraction(actor: Actor, form: Form) {
      return { id: await start(actor, form) }
    },

    /** Refuses `logExtractionNotFound` and `logExtractionOver`. */
    async cancelLogExtraction(actor: Actor, { id }: ParsedInputFor<typeof cancelLogExtraction>) {
      const moved = await db.transaction().execute(async (trx) => {
        const record =
          (await queries.findExtraction(trx, await scopeOf(trx, actor), id)) ??
          refuse('logExtractionNotFound')
        const { rows } = await extractions.end(trx, ofIds([id]), commands, () => ({ kind: 'cancelled' }))
        if (rows.length === 0) refuse('logExtractionOver')
        await recordOperation(trx, actor, { target: `设备 ${record.equipCode}` })
        return rows
      })
      tellChanged(moved)
    },

    async listLogExtractions(actor: Actor, input: ParsedInputFor<typeof listLogExtractions>) {
      const scope = await scopeOf(db, actor)
      const filter = { ...input, ...rangeEdges(input) }
      const [rows, total] = await Promise.all([
        queries.listExtractions(db, scope, filter, pageOf(input)),
        queries.countExtractions(db, scope, filter),
      ])
      return { rows: rows.map(rowOf), total }
    },

    async downloadExtractedLog(actor: Actor, id: string): Promise<KeptFile> {
      return { file: await fileOf(actor, id), disposition: 'attachment' }
    },

    fileOf,
  }

  /** The time of the open request is over, that of the device is not. */
  async function stillUnderWay(id: string): Promise<Refusal> {
    const { state, reason = null } = (await queries.readOutcome(db, id)) ?? {}
    const goesOn = '提取仍在进行，可在提取记录中查看'
    if (state === 'uploading')
      return new Refusal('logExtractionTimedOut', null, `设备未在 280 秒内上传完日志，${goesOn}`)
    return new Refusal('logExtractionTimedOut', null, reason === null ? undefined : `${reason}，${goesOn}`)
  }

  async function levelOf({ equipClassify, logExtractParam }: Form): Promise<LogLevelRow> {
    const level = await findLevel(db, equipClassify, logExtractParam.level)
    if (!level) return refuseInput({ field: 'logExtractParam.level', message: '该设备类别没有此日志级别' })
    if (logExtractParam.fileType !== undefined && logExtractParam.fileType !== level.fileType) {
      refuseInput({ field: 'logExtractParam.fileType', message: `该级别的文件类型是${level.fileType}` })
    }
    return level
  }

  async function deviceOf(trx: Trx, actor: Actor, { equipCode, equipClassify }: Form) {
    const device =
      (await queries.findDevice(trx, await scopeOf(trx, actor), equipCode)) ?? refuse('deviceNotFound')
    if (device.equipClassify !== equipClassify)
      refuseInput({ field: 'equipClassify', message: '设备不属于该类别' })
    await requireAbility(trx, device.id, 'extractLog')
    if (!device.isOnline) refuse('logDeviceOffline')
    return device
  }

  function rowOf({ fileId, commandId: _, ...record }: queries.ExtractionRecord) {
    return {
      ...record,
      fileName: logFileName(record),
      hasFile: fileId !== null,
      keptUntil: fileId === null ? null : new Date(record.createTime.getTime() + retentionDays * dayMs),
    }
  }
}
