import { exportOperations, listOperations } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Operations } from './operations.service.ts'

export function mountOperations(api: Api, operations: Operations): void {
  api.mount(listOperations, ({ actor, input }) => operations.listOperations(actor, input))
  api.mount(exportOperations, ({ actor, input }) => operations.exportOperations(actor, input))
}
