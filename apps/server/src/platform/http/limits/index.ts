export { leaveHttpLimits, limitHttpConnections } from './connections.ts'
export { createHttpLimits, type HttpLimits } from './limits.ts'
export { createPlaces } from './places.ts'
export { watchReaders } from './readers.ts'
