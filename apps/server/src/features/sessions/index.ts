export { sessionJobs } from './sessions.jobs.ts'
export { mountSessions } from './sessions.routes.ts'
export { createSessionService as createSessions, type Sessions } from './sessions.service.ts'
