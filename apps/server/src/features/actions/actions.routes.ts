import { actOnDevice, listRemoteActions } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { RemoteActions } from './actions.service.ts'

export function mountRemoteActions(api: Api, actions: RemoteActions): void {
  api.mount(actOnDevice, ({ actor, input }) => actions.actOnDevice(actor, input))
  api.mount(listRemoteActions, ({ actor, input }) => actions.listRemoteActions(actor, input))
}
