import type { Job } from '../../platform/database/jobs/jobs.ts'
import type { Trials } from './trials/trials.service.ts'

export const mappingJobs = (trials: Trials): Job[] => [
  { name: 'mappings.forgetMessages', everyMs: 3_600_000, run: () => trials.forgetMessages() },
]
