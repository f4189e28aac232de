import {
  activateMapping,
  deleteMapping,
  insertMapping,
  listMappedMessages,
  listMappings,
  readMapping,
  replayMapping,
  tryMapping,
  updateMapping,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Mappings } from './mappings.service.ts'
import type { Trials } from './trials/trials.service.ts'

export function mountMappings(api: Api, mappings: Mappings, trials: Trials): void {
  api.mount(listMappings, ({ actor, input }) => mappings.listMappings(actor, input))
  api.mount(readMapping, ({ actor, input }) => mappings.readMapping(actor, input))
  api.mount(insertMapping, ({ actor, input }) => mappings.insertMapping(actor, input))
  api.mount(updateMapping, ({ actor, input }) => mappings.updateMapping(actor, input))
  api.mount(activateMapping, ({ actor, input }) => mappings.activateMapping(actor, input))
  api.mount(deleteMapping, ({ actor, input }) => mappings.deleteMapping(actor, input))
  api.mount(tryMapping, ({ input }) => trials.tryMapping(input))
  api.mount(listMappedMessages, ({ actor, input }) => trials.listMappedMessages(actor, input))
  api.mount(replayMapping, ({ actor, input }) => trials.replayMapping(actor, input))
}
