import { listEquipTypes, listModels, listPartTypes } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { EquipTypes } from './equip-types.service.ts'

export function mountEquipTypes(api: Api, equipTypes: EquipTypes): void {
  api.mount(listEquipTypes, () => equipTypes.listEquipTypes())
  api.mount(listModels, ({ input }) => equipTypes.listModels(input))
  api.mount(listPartTypes, ({ input }) => equipTypes.listPartTypes(input))
}
