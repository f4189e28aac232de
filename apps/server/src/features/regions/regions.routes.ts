import { countRegions, deleteRegion, insertRegion, listRegions, updateRegion } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Regions } from './regions.service.ts'

export function mountRegions(api: Api, regions: Regions): void {
  api.mount(listRegions, () => regions.listRegions())
  api.mount(countRegions, ({ actor }) => regions.countRegions(actor))
  api.mount(insertRegion, ({ actor, input }) => regions.insertRegion(actor, input))
  api.mount(updateRegion, ({ actor, input }) => regions.updateRegion(actor, input))
  api.mount(deleteRegion, ({ actor, input }) => regions.deleteRegion(actor, input))
}
