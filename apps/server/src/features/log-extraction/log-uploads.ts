// Uploads of logs by devices: the extraction in the address accepts the upload or not, in whatever process it arrives.
import { randomUUID } from 'node:crypto'
import type { LogFileType, StoredFile } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Commands } from '../../platform/devices/commands/commands.ts'
import type { DeviceUpload, UploadReceiver } from '../../platform/files/kept/device-uploads.ts'
import type { Files } from '../../platform/files/kept/index.ts'
import { looksLikeText, textSampleBytes } from '../../platform/files/kept/text-sample.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { endUndecided } from './log-extraction.deciders.ts'
import { progressEveryMs } from './log-extraction.rules.ts'
import { type ExtractionEvent, reasons } from './log-extraction.states.ts'
import { extractions, type MovingExtraction } from './log-extraction.work.ts'

/** The purpose in the addresses of these uploads. */
export const uploadPurpose = 'log'

export interface UploadNeeds {
  db: Db
  files: Pick<Files, 'read'>
  commands: Pick<Commands, 'cancel'>
  log: Log
  limitBytes: number
  tellChanged: (extractions: readonly MovingExtraction[]) => void
}

export function createLogUploads(needs: UploadNeeds): UploadReceiver {
  const { db, files, log, limitBytes, tellChanged } = needs

  return {
    limitBytes,

    /** Refuses `uploadAddressUsed` where the extraction is over, or there is none. */
    async begin({ id, deviceCode, sizeBytes }) {
      await endUndecided(needs, [id])
      const uploadId = randomUUID()
      const happen = async (eventOf: (extraction: MovingExtraction) => ExtractionEvent) => {
        const own = sql<SqlBool>`t.id = ${id}::int8 AND d.code = ${deviceCode}`
        const moved = await db.transaction().execute((trx) => extractions.move(trx, own, eventOf))
        tellChanged(moved)
        return moved[0]
      }
      const begun = await happen(() => ({ kind: 'began', uploadId, sizeBytes, nowMs: sharedNowMs() }))
      if (!begun) refuse('uploadAddressUsed')
      const { fileType } = begun
      const giveUp = (reason: string) => happen(() => ({ kind: 'unusable', uploadId, reason }))

      const superseded = new AbortController()
      let told = Promise.resolve()
      let toldAtMs = performance.now()
      let isTelling = false

      const upload: DeviceUpload = {
        name: `${deviceCode}.${fileType}`,
        signal: superseded.signal,

        progressed(receivedBytes) {
          const nowMs = performance.now()
          if (isTelling || nowMs - toldAtMs < progressEveryMs) return
          isTelling = true
          toldAtMs = nowMs
          told = happen(() => ({ kind: 'progressed', uploadId, receivedBytes, nowMs: sharedNowMs() }))
            .then((extraction) => {
              // Cancelled, or begun anew over another connection: the rest is not wanted.
              if (!extraction) superseded.abort(new Refusal('uploadAddressUsed'))
            })
            // The next call reports more; if all fail, storing fails too.
            .catch((err: unknown) =>
              log.warn(
                { err, id },
                spoken({
                  zh: '日志上传进度未能记录',
                  en: 'the progress of a log upload could not be recorded',
                }),
              ),
            )
            .finally(() => {
              isTelling = false
            })
        },

        async stored(file) {
          await told
          await endUndecided(needs, [id])
          if (!(await isOfType(file, fileType))) {
            await giveUp(`设备上传的不是 ${fileType} 文件`)
            throw new Refusal('wrongMediaType', [{ field: 'file', message: `应为${fileType}文件` }])
          }
          const done = await happen(() => ({
            kind: 'stored',
            uploadId,
            fileId: file.id,
            sizeBytes: file.sizeBytes,
          }))
          if (!done) refuse('uploadAddressUsed')
        },

        async failed(error) {
          await told
          if (error instanceof Refusal && error.refusal === 'bodyTooLarge') {
            await giveUp(reasons.tooLarge(limitBytes))
          } else {
            const reason = reasonOf(error)
            await happen(() => ({ kind: 'brokeOff', uploadId, reason, nowMs: sharedNowMs() }))
          }
        },
      }
      return upload
    },
  }

  async function isOfType(file: StoredFile, fileType: LogFileType): Promise<boolean> {
    const { contentType } = file
    if (fileType === 'gz') return contentType === 'application/gzip'
    if (fileType === 'zip') return contentType === 'application/zip'
    // Pages open a file by these two types.
    if (contentType === 'application/gzip' || contentType === 'application/zip') return false
    if (file.sizeBytes === 0) return true
    // No other detected type decides: a log may begin with the letters of a signature, such as `ID3` or `BZh`.
    const end = Math.min(file.sizeBytes, textSampleBytes) - 1
    const sample = await files.read(file, { start: 0, end })
    return looksLikeText(Buffer.concat(await sample.toArray()))
  }
}

/** Why an upload failed, for the record of the extraction. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return reasons.brokenOff
  const [problem] = error.problems ?? []
  return error.refusal === 'uploadDamaged' && problem ? reasons.damaged(problem.field) : error.message
}
