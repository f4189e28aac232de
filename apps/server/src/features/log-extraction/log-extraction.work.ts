// Extractions as work on devices, and their timed work: devices that never began their upload, and uploads that no
// process receives any more.
import type { LogExtractionState, LogFileType } from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import { deviceWork, type QueueNeeds } from '../../domain/device-work/device-work.ts'
import type { WorkRow } from '../../domain/device-work/work.queries.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import { afterEvent, type Extraction, type ExtractionEvent } from './log-extraction.states.ts'

/** An extraction with what its moves need. */
export interface MovingExtraction extends Extraction, WorkRow {
  state: LogExtractionState
  fileType: LogFileType
}

export const extractions = deviceWork<MovingExtraction, ExtractionEvent>({
  name: 'log_extraction',
  columns: {
    deadlineMs: ['deadline', 'ms'],
    uploadId: ['upload_id', 'uuid'],
    receivedBytes: ['received_bytes', 'float8'],
    sizeBytes: ['size_bytes', 'float8'],
    fileId: ['file_id', 'uuid'],
    failedUploads: ['failed_uploads', 'int4'],
  },
  reads: sql`, t.file_type AS "fileType", (extract(epoch FROM t.ends_at) * 1000)::float8 AS "endsMs"`,
  isOpen: sql<SqlBool>`t.state IN ('waiting', 'taken', 'uploading')`,
  hasCommand: sql<SqlBool>`t.command_id IS NOT NULL`,
  after: afterEvent,
})

export const createExtractionQueue = (needs: QueueNeeds<MovingExtraction>): Worker =>
  extractions.queue(needs, {
    leaseMs: 30_000,
    read: async (_trx, _rows, nowMs) => nowMs,
    eventsOf: (_extraction, nowMs) => ({ kind: 'due', nowMs }),
    commandOf: () => null,
  })
