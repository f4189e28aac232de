import { listRegions } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Regions } from './regions.service.ts'

export function mountRegions(api: Api, regions: Regions): void {
  api.mount(listRegions, () => regions.listRegions())
}
