import {
  deleteEquipType,
  deleteModel,
  deleteModelPart,
  deletePartType,
  insertEquipType,
  insertModel,
  insertModelPart,
  insertPartType,
  listEquipTypes,
  listModelParts,
  listModels,
  listPartTypes,
  updateEquipType,
  updateModel,
  updateModelPart,
  updatePartType,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { EquipTypes } from './equip-types.service.ts'

export function mountEquipTypes(api: Api, equipTypes: EquipTypes): void {
  api.mount(listEquipTypes, () => equipTypes.listEquipTypes())
  api.mount(insertEquipType, ({ actor, input }) => equipTypes.insertEquipType(actor, input))
  api.mount(updateEquipType, ({ actor, input }) => equipTypes.updateEquipType(actor, input))
  api.mount(deleteEquipType, ({ actor, input }) => equipTypes.deleteEquipType(actor, input))

  api.mount(listPartTypes, ({ input }) => equipTypes.listPartTypes(input))
  api.mount(insertPartType, ({ actor, input }) => equipTypes.insertPartType(actor, input))
  api.mount(updatePartType, ({ actor, input }) => equipTypes.updatePartType(actor, input))
  api.mount(deletePartType, ({ actor, input }) => equipTypes.deletePartType(actor, input))

  api.mount(listModels, ({ input }) => equipTypes.listModels(input))
  api.mount(insertModel, ({ actor, input }) => equipTypes.insertModel(actor, input))
  api.mount(updateModel, ({ actor, input }) => equipTypes.updateModel(actor, input))
  api.mount(deleteModel, ({ actor, input }) => equipTypes.deleteModel(actor, input))

  api.mount(listModelParts, ({ input }) => equipTypes.listModelParts(input))
  api.mount(insertModelPart, ({ actor, input }) => equipTypes.insertModelPart(actor, input))
  api.mount(updateModelPart, ({ actor, input }) => equipTypes.updateModelPart(actor, input))
  api.mount(deleteModelPart, ({ actor, input }) => equipTypes.deleteModelPart(actor, input))
}
