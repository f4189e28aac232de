import type { Job } from '../../platform/database/jobs/jobs.ts'
import type { IntakeRecords } from './intake.service.ts'

export const intakeJobs = (records: IntakeRecords): Job[] => [
  { name: 'intake.trimRefusals', everyMs: 3_600_000, run: () => records.trimIntakeRefusals() },
]
