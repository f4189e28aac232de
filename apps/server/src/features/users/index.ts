export {
  ensureAdministrator,
  type FirstSignIn,
  findSignIn,
  makeFirstSignIn,
  resetAdministrator,
} from './administrator.service.ts'
export { mountUsers } from './users.routes.ts'
export { createUserService as createUsers, type Users } from './users.service.ts'
