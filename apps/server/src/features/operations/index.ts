export { mountOperations } from './operations.routes.ts'
export { createOperationService as createOperations, type Operations } from './operations.service.ts'
