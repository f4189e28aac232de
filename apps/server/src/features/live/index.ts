export { mountLive } from './live.routes.ts'
export { createLive, type Live } from './live.service.ts'
