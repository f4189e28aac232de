import {
  deleteOperator,
  insertOperator,
  listOperators,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Operators } from './operators.service.ts'

export function mountOperators(api: Api, operators: Operators): void {
  api.mount(listOperators, ({ actor, input }) => operators.listOperators(actor, input))
  api.mount(searchOperators, ({ actor, input }) => operators.searchOperators(actor, input))
  api.mount(insertOperator, ({ actor, input }) => operators.insertOperator(actor, input))
  api.mount(updateOperator, ({ actor, input }) => operators.updateOperator(actor, input))
  api.mount(deleteOperator, ({ actor, input }) => operators.deleteOperator(actor, input))
}
