import type { Db } from '../../platform/database/database.ts'
import type { Job } from '../../platform/database/jobs/jobs.ts'
import { forgetTransactions, forgetUnknownCodes } from './ocpp.queries.ts'

const dayMs = 86_400_000
/** A station that was away tells of a charging session's end days later. */
const endedDays = 30
const neverEndedDays = 180

const ago = (days: number) => new Date(Date.now() - days * dayMs)

export const ocppJobs = (db: Db): readonly Job[] => [
  {
    name: 'ocpp.forget',
    everyMs: dayMs,
    run: async () => {
      await forgetTransactions(db, ago(endedDays), ago(neverEndedDays))
      await forgetUnknownCodes(db, ago(neverEndedDays))
    },
  },
]
