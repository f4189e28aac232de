import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { spoken } from '../../process/sentences.ts'

/** A writer threw an error that no database throws: a defect of the server, such as a TypeError. */
export class WriterDefect extends Error {
  readonly writerName: string

  constructor(writerName: string, cause: unknown) {
    super(`writer ${writerName} has a defect`, { cause })
    this.writerName = writerName
  }
}

export interface Defects {
  /** Entries of this writer are not tried now. */
  isSuspended(writerName: string): boolean
  /** An entry of this device failed alone, by a defect. */
  failed(deviceId: number, defect: WriterDefect): void
  /** Entries of this writer were written. */
  worked(writerName: string): void
}

/**
 * A defect with the data of one device belongs to the entry; with this number of devices in a row it belongs to the
 * writer.
 */
const devicesUntilSuspended = 5
const suspensionMs = 30_000

/**
 * Circuit breaker for writers. To find the entries that meet a defect a batch is halved again and again; when
 * every entry fails, that would cost two transactions for each message and leave no time for other writers.
 */
export function createDefects({ log, now = Date.now }: { log: Log; now?: () => number }): Defects {
  interface Record {
    /** Devices whose entries failed since the writer last worked, or was last suspended. */
    deviceIds: Set<number>
    suspendedUntilMs: number
    complain: (error: unknown) => void
  }
  const records = new Map<string, Record>()

  const recordOf = (writerName: string): Record => {
    let record = records.get(writerName)
    if (!record) {
      record = {
        deviceIds: new Set(),
        suspendedUntilMs: 0,
        complain: createComplaints((err, count) =>
          log.error(
            { err, count, writer: writerName },
            spoken({
              zh: `程序缺陷：${writerName} 类设备报文无法处理，不予确认，由设备保留，待修复并重新连接后重发`,
              en: `a defect of the program: device messages of the kind ${writerName} cannot be handled and are not acknowledged; devices keep them and send them again once it is mended and they have connected again`,
            }),
          ),
        ),
      }
      records.set(writerName, record)
    }
    return record
  }

  return {
    isSuspended: (writerName) => now() < (records.get(writerName)?.suspendedUntilMs ?? 0),
    failed(deviceId, { writerName, cause }) {
      const record = recordOf(writerName)
      record.complain(cause)
      record.deviceIds.add(deviceId)
      if (record.deviceIds.size < devicesUntilSuspended) return
      record.suspendedUntilMs = now() + suspensionMs
      // Afterwards one device alone is no reason again.
      record.deviceIds.clear()
    },
    worked(writerName) {
      const record = records.get(writerName)
      if (!record) return
      record.deviceIds.clear()
      record.suspendedUntilMs = 0
    },
  }
}
