import { exportEvents, listEvents, readEvent } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Events } from './events.service.ts'

export function mountEvents(api: Api, events: Events): void {
  api.mount(listEvents, ({ actor, input }) => events.listEvents(actor, input))
  api.mount(readEvent, ({ actor, input }) => events.readEvent(actor, input))
  api.mount(exportEvents, ({ actor, input }) => events.exportEvents(actor, input))
}
