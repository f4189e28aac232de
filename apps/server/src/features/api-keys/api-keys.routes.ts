import { deleteApiKey, insertApiKey, listApiKeys, listKeyFunctions, rotateApiKey } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { ApiKeys } from './api-keys.service.ts'

export function mountApiKeys(api: Api, keys: ApiKeys): void {
  api.mount(listApiKeys, ({ actor, input }) => keys.listApiKeys(actor, input))
  api.mount(insertApiKey, ({ actor, input }) => keys.insertApiKey(actor, input))
  api.mount(rotateApiKey, ({ actor, input }) => keys.rotateApiKey(actor, input))
  api.mount(deleteApiKey, ({ actor, input }) => keys.deleteApiKey(actor, input))
  api.mount(listKeyFunctions, ({ actor }) => keys.listKeyFunctions(actor))
}
