export { intakeJobs } from './intake.jobs.ts'
export { createEmbeddedIntake } from './intake.mqtt.ts'
export { mountIntake } from './intake.routes.ts'
export { createIntakeRecords } from './intake.service.ts'
