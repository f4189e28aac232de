import {
  deleteOcppCode,
  deleteOcppRelay,
  insertOcppCode,
  insertOcppRelay,
  listOcppCodes,
  listUnknownOcppCodes,
  readOcppKeyChange,
  readOcppRelay,
  renewOcppKey,
  updateOcppCode,
  updateOcppRelay,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { OcppCodes } from './codes.service.ts'
import type { OcppKeys } from './keys/keys.service.ts'
import type { OcppRelays } from './relay/relays.service.ts'

export function mountOcpp(api: Api, codes: OcppCodes, relays: OcppRelays, keys: OcppKeys): void {
  api.mount(listOcppCodes, ({ input }) => codes.listOcppCodes(input))
  api.mount(listUnknownOcppCodes, ({ actor, input }) => codes.listUnknownOcppCodes(actor, input))
  api.mount(insertOcppCode, ({ actor, input }) => codes.insertOcppCode(actor, input))
  api.mount(updateOcppCode, ({ actor, input }) => codes.updateOcppCode(actor, input))
  api.mount(deleteOcppCode, ({ actor, input }) => codes.deleteOcppCode(actor, input))
  api.mount(readOcppKeyChange, ({ actor, input }) => keys.readOcppKeyChange(actor, input))
  api.mount(renewOcppKey, ({ actor, input }) => keys.renewOcppKey(actor, input))
  api.mount(readOcppRelay, ({ actor, input }) => relays.readOcppRelay(actor, input))
  api.mount(insertOcppRelay, ({ actor, input }) => relays.insertOcppRelay(actor, input))
  api.mount(updateOcppRelay, ({ actor, input }) => relays.updateOcppRelay(actor, input))
  api.mount(deleteOcppRelay, ({ actor, input }) => relays.deleteOcppRelay(actor, input))
}
