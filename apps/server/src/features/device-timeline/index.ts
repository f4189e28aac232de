import { feature } from '../../platform/feature.ts'
import { devices } from '../devices/index.ts'
import { operations } from '../operations/index.ts'
import { mountDeviceTimeline } from './timeline.routes.ts'
import { createDeviceTimeline } from './timeline.service.ts'

/** All that happened to one device, whichever feature keeps it. */
export const deviceTimeline = feature({
  name: 'device-timeline',
  create({ db, use }) {
    const service = createDeviceTimeline({ db, devices: use(devices), operations: use(operations) })
    return { service, mount: (api) => mountDeviceTimeline(api, service) }
  },
})
