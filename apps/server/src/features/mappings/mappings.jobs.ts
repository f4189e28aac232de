import type { Job } from '../../platform/database/jobs/jobs.ts'
import type { Mappings } from './mappings.service.ts'

export const mappingJobs = (mappings: Mappings): Job[] => [
  { name: 'mappings.forgetMessages', everyMs: 3_600_000, run: () => mappings.forgetMessages() },
]
