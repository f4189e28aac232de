export { createOperationService as createOperations, type Operations } from './operations.service.ts'
