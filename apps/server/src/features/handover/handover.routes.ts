import { draftHandover, listHandovers, readHandover, signHandover } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Handovers } from './handover.service.ts'

export function mountHandovers(api: Api, handovers: Handovers): void {
  api.mount(listHandovers, ({ actor, input }) => handovers.listHandovers(actor, input))
  api.mount(readHandover, ({ actor, input }) => handovers.readHandover(actor, input))
  api.mount(draftHandover, ({ actor, input }) => handovers.draftHandover(actor, input))
  api.mount(signHandover, ({ actor, input }) => handovers.signHandover(actor, input))
}
