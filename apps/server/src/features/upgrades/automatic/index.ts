export { createAutomaticJob } from './automatic.jobs.ts'
