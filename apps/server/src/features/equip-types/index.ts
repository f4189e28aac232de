export { mountEquipTypes } from './equip-types.routes.ts'
export { createEquipTypes, type EquipTypes } from './equip-types.service.ts'
