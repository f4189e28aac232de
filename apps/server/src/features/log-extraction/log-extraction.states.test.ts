import { describe, expect, test } from 'vitest'
import {
  addressLifeMs,
  beginWithinMs,
  repeatWithinMs,
  silenceMs,
  uploadsAtMost,
} from './log-extraction.rules.ts'
import {
  afterEvent,
  type Extraction,
  type ExtractionEvent,
  isOver,
  reasons,
} from './log-extraction.states.ts'

const nowMs = 1_000_000
const waiting: Extraction = {
  state: 'waiting',
  reason: null,
  deadlineMs: nowMs + beginWithinMs,
  endsMs: nowMs + addressLifeMs,
  dueAtMs: nowMs + beginWithinMs,
  uploadId: null,
  receivedBytes: 0,
  sizeBytes: null,
  fileId: null,
  failedUploads: 0,
}
const began = (uploadId = 'a', at = nowMs): ExtractionEvent => ({
  kind: 'began',
  uploadId,
  sizeBytes: 100,
  nowMs: at,
})
const after = (...events: ExtractionEvent[]) => events.reduce(afterEvent, waiting)

describe('an extraction', () => {
  test('is accepted, uploaded and done', () => {
    const uploading = after({ kind: 'taken' }, began(), {
      kind: 'progressed',
      uploadId: 'a',
      receivedBytes: 50,
      nowMs: nowMs + 1_000,
    })
    expect(uploading).toMatchObject({
      state: 'uploading',
      receivedBytes: 50,
      sizeBytes: 100,
      dueAtMs: nowMs + 1_000 + silenceMs,
    })
    const stored: ExtractionEvent = { kind: 'stored', uploadId: 'a', fileId: 'f', sizeBytes: 100 }
    expect(afterEvent(uploading, stored)).toMatchObject({
      state: 'done',
      fileId: 'f',
      receivedBytes: 100,
      dueAtMs: null,
    })
  })

  test('may be uploaded before the command is answered', () => {
    const uploading = after(began())
    expect(uploading.state).toBe('uploading')
    expect(afterEvent(uploading, { kind: 'taken' })).toBe(uploading)
  })

  test('without an upload ends at its deadline, and not before', () => {
    const early: ExtractionEvent = { kind: 'due', nowMs: waiting.deadlineMs - 1 }
    expect(after(early)).toMatchObject({ state: 'waiting', dueAtMs: waiting.deadlineMs })
    const late: ExtractionEvent = { kind: 'due', nowMs: waiting.deadlineMs }
    for (const events of [[late], [{ kind: 'taken' } as const, late]])
      expect(after(...events)).toMatchObject({ state: 'failed', reason: reasons.noUpload, dueAtMs: null })
  })

  test('whose upload is interrupted waits for another one, at least two minutes', () => {
    const brokeOff = (at: number): ExtractionEvent => ({
      kind: 'brokeOff',
      uploadId: 'a',
      reason: reasons.brokenOff,
      nowMs: at,
    })
    expect(after(began(), brokeOff(nowMs + 1_000))).toMatchObject({
      state: 'taken',
      reason: reasons.brokenOff,
      receivedBytes: 0,
      deadlineMs: waiting.deadlineMs,
    })
    const lateMs = waiting.deadlineMs + 60_000
    const broken = after(began(), brokeOff(lateMs))
    expect(broken).toMatchObject({ deadlineMs: lateMs + repeatWithinMs, dueAtMs: lateMs + repeatWithinMs })
    expect(afterEvent(broken, { kind: 'due', nowMs: lateMs + repeatWithinMs })).toMatchObject({
      state: 'failed',
      reason: '上传中断，设备未重新上传',
    })
    // Never longer than the address is valid.
    expect(after(began(), brokeOff(waiting.endsMs - 1)).deadlineMs).toBe(waiting.endsMs)
  })

  test('whose uploads arrive damaged each time ends with that reason and how many there were', () => {
    const damaged: ExtractionEvent[] = [
      began(),
      { kind: 'brokeOff', uploadId: 'a', reason: reasons.damaged('SHA-256'), nowMs },
    ]
    const late: ExtractionEvent = { kind: 'due', nowMs: waiting.endsMs }
    expect(after(...damaged, ...damaged, ...damaged, late)).toMatchObject({
      state: 'failed',
      reason: '上传的文件校验失败（SHA-256 不一致），共 3 次',
    })
    const many = Array.from({ length: uploadsAtMost }, () => damaged).flat()
    expect(after(...many.slice(0, -2)).state).toBe('taken')
    expect(after(...many)).toMatchObject({
      state: 'failed',
      reason: `上传的文件校验失败（SHA-256 不一致），共 ${uploadsAtMost} 次`,
      dueAtMs: null,
    })
  })

  test('whose upload lost its receiving process waits for another one', () => {
    const silent: ExtractionEvent = { kind: 'due', nowMs: nowMs + silenceMs }
    expect(after(began(), silent)).toMatchObject({ state: 'taken', reason: reasons.brokenOff })
  })

  test('follows its newest upload only', () => {
    const second = after(began('a'), began('b'))
    for (const event of [
      { kind: 'progressed', uploadId: 'a', receivedBytes: 9, nowMs },
      { kind: 'brokeOff', uploadId: 'a', reason: 'x', nowMs },
      { kind: 'unusable', uploadId: 'a', reason: 'x' },
      { kind: 'stored', uploadId: 'a', fileId: 'f', sizeBytes: 1 },
    ] satisfies ExtractionEvent[])
      expect(afterEvent(second, event)).toBe(second)
    expect(afterEvent(second, { kind: 'stored', uploadId: 'b', fileId: 'f', sizeBytes: 1 }).state).toBe(
      'done',
    )
  })

  test('fails on a refusal at any time, and on an unusable upload', () => {
    const refused: ExtractionEvent = { kind: 'refused', reason: '没有日志' }
    for (const events of [[], [{ kind: 'taken' } as const], [began()]])
      expect(after(...events, refused)).toMatchObject({ state: 'failed', reason: '没有日志', dueAtMs: null })
    expect(after(began(), { kind: 'unusable', uploadId: 'a', reason: '过大' })).toMatchObject({
      state: 'failed',
      reason: '过大',
    })
  })

  test('that is over does not change', () => {
    const events: ExtractionEvent[] = [
      { kind: 'taken' },
      { kind: 'refused', reason: 'x' },
      { kind: 'undecided', reason: 'x' },
      began('a'),
      began('b'),
      { kind: 'progressed', uploadId: 'a', receivedBytes: 1, nowMs },
      { kind: 'brokeOff', uploadId: 'a', reason: 'x', nowMs },
      { kind: 'unusable', uploadId: 'a', reason: 'x' },
      { kind: 'stored', uploadId: 'a', fileId: 'f', sizeBytes: 1 },
      { kind: 'due', nowMs: waiting.endsMs },
      { kind: 'cancelled' },
    ]
    const visit = (extraction: Extraction, depth: number): void => {
      for (const event of events) {
        const next = afterEvent(extraction, event)
        // Either final and never checked again, or due at some time.
        expect(isOver(next)).toBe(next.dueAtMs === null)
        expect(next.state === 'done').toBe(next.fileId !== null)
        if (isOver(extraction)) expect(next).toBe(extraction)
        else if (depth > 0) visit(next, depth - 1)
      }
    }
    visit(waiting, 3)
  })
})
