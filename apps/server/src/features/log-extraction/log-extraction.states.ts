/**
 * How a log comes from a device: a pure table (extraction, event) -> extraction.
 *
 *   waiting ─▶ taken ─▶ uploading ─▶ done        refused, too late, unusable, its user gone, from any of the three: ─▶ failed
 *      └────────────────▲  │                     a user's wish, from any of the three: ─▶ cancelled
 *                 ▲────────┘ broken off
 *
 * An upload may begin before the device's answer has come: the one travels over HTTP, the other over MQTT. `dueAtMs`
 * says when the work queue looks at the extraction; null where it is over.
 */
import type { LogExtractionState } from '@voltkeep/contract'
import { repeatWithinMs, silenceMs, uploadsAtMost } from './log-extraction.rules.ts'

export interface Extraction {
  state: LogExtractionState
  reason: string | null
  /** By when an upload has to begin. */
  deadlineMs: number
  /** When the address for uploads expires. */
  endsMs: number
  dueAtMs: number | null
  /** The upload under way or the last one. */
  uploadId: string | null
  receivedBytes: number
  sizeBytes: number | null
  fileId: string | null
  /** Uploads that broke off or arrived damaged. */
  failedUploads: number
}

export type ExtractionEvent =
  /** The device has accepted the command. */
  | { kind: 'taken' }
  /** The device has refused the command, or cannot execute it. */
  | { kind: 'refused'; reason: string }
  /** The device begins an upload. A second one replaces the first, whose connection may be dead. */
  | { kind: 'began'; uploadId: string; sizeBytes: number | null; nowMs: number }
  | { kind: 'progressed'; uploadId: string; receivedBytes: number; nowMs: number }
  /** The upload broke off; it may be repeated. */
  | { kind: 'brokeOff'; uploadId: string; reason: string; nowMs: number }
  /** The upload is of no use, and a repetition would not be either. */
  | { kind: 'unusable'; uploadId: string; reason: string }
  | { kind: 'stored'; uploadId: string; fileId: string; sizeBytes: number }
  | { kind: 'due'; nowMs: number }
  /** Who asked for it may not any more. */
  | { kind: 'undecided'; reason: string }
  | { kind: 'cancelled' }

export const reasons = {
  noUpload: '设备未在 280 秒内上传日志',
  brokenOff: '上传中断',
  beyondAsker: '设备已不在提取人的数据范围内',
  /** `hash`: the one that the device had announced, and that differs. */
  damaged: (hash: string) => `上传的文件校验失败（${hash} 不一致）`,
  tooLarge: (limitBytes: number) => `日志文件超过上限 ${Math.floor(limitBytes / 1024 / 1024)} MB，提取已结束`,
  /** The end after uploads of which the last one failed for that reason. */
  givenUp: (reason: string, uploads: number) =>
    uploads > 1 ? `${reason}，共 ${uploads} 次` : `${reason}，设备未重新上传`,
} as const

export const isOver = ({ state }: Pick<Extraction, 'state'>) =>
  state === 'done' || state === 'failed' || state === 'cancelled'

/** The extraction after the event; the very same object where the event changes nothing. */
export function afterEvent(extraction: Extraction, event: ExtractionEvent): Extraction {
  if (isOver(extraction)) return extraction
  switch (event.kind) {
    case 'taken':
      return extraction.state === 'waiting' ? { ...extraction, state: 'taken' } : extraction
    case 'refused':
    case 'undecided':
      return ended(extraction, 'failed', event.reason)
    case 'began':
      return {
        ...extraction,
        state: 'uploading',
        uploadId: event.uploadId,
        receivedBytes: 0,
        sizeBytes: event.sizeBytes,
        dueAtMs: event.nowMs + silenceMs,
      }
    case 'progressed':
      return isUnderWay(extraction, event)
        ? { ...extraction, receivedBytes: event.receivedBytes, dueAtMs: event.nowMs + silenceMs }
        : extraction
    case 'brokeOff':
      return isUnderWay(extraction, event) ? brokenOff(extraction, event.reason, event.nowMs) : extraction
    case 'unusable':
      return isUnderWay(extraction, event) ? ended(extraction, 'failed', event.reason) : extraction
    case 'stored':
      return isUnderWay(extraction, event)
        ? {
            ...ended(extraction, 'done', null),
            fileId: event.fileId,
            receivedBytes: event.sizeBytes,
            sizeBytes: event.sizeBytes,
          }
        : extraction
    case 'due':
      return afterDue(extraction, event.nowMs)
    case 'cancelled':
      return ended(extraction, 'cancelled', null)
  }
}

const isUnderWay = (extraction: Extraction, { uploadId }: { uploadId: string }) =>
  extraction.state === 'uploading' && extraction.uploadId === uploadId

function ended(extraction: Extraction, state: 'done' | 'failed' | 'cancelled', reason: string | null) {
  return { ...extraction, state, reason, dueAtMs: null }
}

/** The device gets time to begin again, as long as its address is valid, and a limited number of times. */
function brokenOff(before: Extraction, reason: string, nowMs: number): Extraction {
  const failedUploads = before.failedUploads + 1
  const extraction = { ...before, failedUploads }
  if (failedUploads >= uploadsAtMost)
    return ended(extraction, 'failed', reasons.givenUp(reason, failedUploads))
  const deadlineMs = Math.min(Math.max(extraction.deadlineMs, nowMs + repeatWithinMs), extraction.endsMs)
  return {
    ...extraction,
    state: 'taken',
    reason,
    receivedBytes: 0,
    sizeBytes: null,
    deadlineMs,
    dueAtMs: deadlineMs,
  }
}

function afterDue(extraction: Extraction, nowMs: number): Extraction {
  switch (extraction.state) {
    case 'waiting':
    case 'taken':
      if (nowMs < extraction.deadlineMs) return { ...extraction, dueAtMs: extraction.deadlineMs }
      return ended(
        extraction,
        'failed',
        extraction.reason === null
          ? reasons.noUpload
          : reasons.givenUp(extraction.reason, extraction.failedUploads),
      )
    case 'uploading':
      return brokenOff(extraction, reasons.brokenOff, nowMs)
    case 'done':
    case 'failed':
    case 'cancelled':
      return extraction
  }
}
