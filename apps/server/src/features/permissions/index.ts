export { mountPermissions } from './permissions.routes.ts'
export { createPermissions, type Permissions } from './permissions.service.ts'
