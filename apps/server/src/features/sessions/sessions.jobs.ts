import type { Job } from '../../platform/database/jobs/jobs.ts'
import type { Sessions } from './sessions.service.ts'

const hourMs = 3_600_000

export function sessionJobs(sessions: Sessions): Job[] {
  return [{ name: 'sessions.forget', everyMs: hourMs, run: () => sessions.forgetOldSessions() }]
}
