import { exportDeviceTimeline, readDeviceTimeline } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { DeviceTimeline } from './timeline.service.ts'

export function mountDeviceTimeline(api: Api, timeline: DeviceTimeline): void {
  api.mount(readDeviceTimeline, ({ actor, input }) => timeline.readDeviceTimeline(actor, input))
  api.mount(exportDeviceTimeline, ({ actor, input }) => timeline.exportDeviceTimeline(actor, input))
}
