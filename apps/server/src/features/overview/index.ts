export { mountOverview } from './overview.routes.ts'
export { createOverview } from './overview.service.ts'
