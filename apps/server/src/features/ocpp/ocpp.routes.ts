import {
  deleteOcppCode,
  insertOcppCode,
  listOcppCodes,
  listUnknownOcppCodes,
  updateOcppCode,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { OcppCodes } from './codes.service.ts'

export function mountOcpp(api: Api, codes: OcppCodes): void {
  api.mount(listOcppCodes, ({ input }) => codes.listOcppCodes(input))
  api.mount(listUnknownOcppCodes, ({ actor, input }) => codes.listUnknownOcppCodes(actor, input))
  api.mount(insertOcppCode, ({ actor, input }) => codes.insertOcppCode(actor, input))
  api.mount(updateOcppCode, ({ actor, input }) => codes.updateOcppCode(actor, input))
  api.mount(deleteOcppCode, ({ actor, input }) => codes.deleteOcppCode(actor, input))
}
