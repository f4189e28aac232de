export { findLevel, type LogLevelRow } from './log-levels.queries.ts'
export { createLogLevels, type LogLevels } from './log-levels.service.ts'
