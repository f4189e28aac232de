export { mountServerStatus } from './server-status.routes.ts'
export { createServerStatus } from './server-status.service.ts'
