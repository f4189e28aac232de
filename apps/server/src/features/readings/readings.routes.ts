import { listCompartments, listReadings } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Readings } from './readings.service.ts'

export function mountReadings(api: Api, readings: Readings): void {
  api.mount(listReadings, ({ actor, input }) => readings.listReadings(actor, input))
  api.mount(listCompartments, ({ actor, input }) => readings.listCompartments(actor, input))
}
