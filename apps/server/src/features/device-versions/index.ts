import { feature } from '../../platform/feature.ts'
import { devices } from '../devices/index.ts'
import { mountDeviceVersions } from './device-versions.routes.ts'
import { deviceVersionSeeds } from './device-versions.seeds.ts'
import { createDeviceVersions } from './device-versions.service.ts'

/** Which versions run where. Owns no table: devices keep what they report, packages what there is. */
export const deviceVersions = feature({
  name: 'device-versions',
  seeds: deviceVersionSeeds,
  create({ db, use }) {
    const service = createDeviceVersions({ db, devices: use(devices) })
    return { service, mount: (api) => mountDeviceVersions(api, service) }
  },
})
