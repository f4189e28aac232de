export * from './commands.ts'
export * from './down.ts'
export * from './replies.ts'
export * from './reports.ts'
export * from './topic.ts'
export * from './up.ts'

/** Largest payload in bytes, in either direction. */
export const maxPayloadBytes = 65_536
