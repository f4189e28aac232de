export { mountRoles } from './roles.routes.ts'
export { createRoleService as createRoles, type Roles } from './roles.service.ts'
