// The table of error codes as this process knows it: stations speak all the time, and it is changed by hand.
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import { spoken } from '../../platform/process/sentences.ts'
import { ocppCodesChanged } from './ocpp.notices.ts'
import { readKnownCodes } from './ocpp.queries.ts'
import { type ConnectorFault, type FaultAlarm, semaphoreOfUnknown } from './ocpp.rules.ts'

export interface KnownCodes {
  /** Resolves once they are known; never rejects, since a notice or the timer reads them again. */
  start(): Promise<void>
  /** `isKnown`: somebody has said which alarm it is. */
  alarmOf(fault: ConnectorFault): FaultAlarm & { isKnown: boolean }
  close(): void
}

/** A notice may be lost. */
const freshForMs = 60_000

export function createKnownCodes({
  db,
  notices,
  log,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  log: Log
}): KnownCodes {
  let codes = new Map<string, FaultAlarm>()
  let reading: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const keyOf = ({ vendor, code }: ConnectorFault) => JSON.stringify([vendor, code])
  const complain = createComplaints((err, count) =>
    log.warn(
      { err, count },
      spoken({ zh: 'OCPP 故障码表暂未读取', en: 'the table of OCPP error codes could not be read for now' }),
    ),
  )
  const again = () => {
    reading = reading
      .then(async () => {
        const rows = await readKnownCodes(db)
        codes = new Map(
          rows.map((row) => [keyOf(row), { semaphoreCode: row.semaphoreCode, value: row.alarmValue }]),
        )
      })
      .catch(complain)
    return reading
  }
  const unsubscribe = notices.subscribe(ocppCodesChanged, () => void again())

  return {
    start() {
      timer = setInterval(again, freshForMs)
      return again()
    },
    alarmOf(fault) {
      const known = codes.get(keyOf(fault)) ?? codes.get(keyOf({ ...fault, vendor: '' }))
      return known
        ? { ...known, isKnown: true }
        : { semaphoreCode: semaphoreOfUnknown(fault), value: null, isKnown: false }
    },
    close() {
      unsubscribe()
      clearInterval(timer)
    },
  }
}
