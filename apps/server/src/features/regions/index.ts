export { fullNameUnder } from './regions.names.ts'
export { mountRegions } from './regions.routes.ts'
export { createRegions, type Regions } from './regions.service.ts'
