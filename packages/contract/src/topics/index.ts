export * from './actions.ts'
export * from './commands.ts'
export * from './down.ts'
export * from './replies.ts'
export * from './reports.ts'
export * from './topic.ts'
export * from './up.ts'

/** The maximum payload in bytes, in both directions. */
export const maxPayloadBytes = 65_536
