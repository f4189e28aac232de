import {
  agreeApproval,
  countApprovals,
  listApprovals,
  refuseApproval,
  withdrawApproval,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Approvals } from './approvals.service.ts'

export function mountApprovals(api: Api, approvals: Approvals): void {
  api.mount(listApprovals, ({ actor, input }) => approvals.listApprovals(actor, input))
  api.mount(countApprovals, ({ actor }) => approvals.countApprovals(actor))
  api.mount(agreeApproval, ({ actor, input }) => approvals.agreeApproval(actor, input))
  api.mount(refuseApproval, ({ actor, input }) => approvals.refuseApproval(actor, input))
  api.mount(withdrawApproval, ({ actor, input }) => approvals.withdrawApproval(actor, input.id))
}
