export { assertSeesWhole } from './organizations.handover.ts'
export { mountOrganizations } from './organizations.routes.ts'
export { createOrganizations, type Organizations } from './organizations.service.ts'
