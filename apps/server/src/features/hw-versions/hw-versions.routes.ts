import { deleteHwVersion, insertHwVersion, listHwVersions } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { HwVersions } from './hw-versions.service.ts'

export function mountHwVersions(api: Api, hwVersions: HwVersions): void {
  api.mount(listHwVersions, ({ input }) => hwVersions.listHwVersions(input))
  api.mount(insertHwVersion, ({ actor, input }) => hwVersions.insertHwVersion(actor, input))
  api.mount(deleteHwVersion, ({ actor, input }) => hwVersions.deleteHwVersion(actor, input))
}
