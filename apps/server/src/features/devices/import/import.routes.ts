import { importDevices, readImportTemplate, renewImportSecrets } from '@voltkeep/contract'
import type { Api } from '../../../platform/http/mount.ts'
import type { DeviceImport } from './import.service.ts'

export function mountDeviceImport(api: Api, deviceImport: DeviceImport): void {
  api.mount(readImportTemplate, ({ actor }) => deviceImport.readImportTemplate(actor))
  api.mount(importDevices, ({ actor, input, signal }) => deviceImport.importDevices(actor, input, signal))
  api.mount(renewImportSecrets, ({ actor, input, signal }) =>
    deviceImport.renewImportSecrets(actor, input, signal),
  )
}
