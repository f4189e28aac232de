import { feature } from '../../platform/feature.ts'
import { createApprovalsJob } from './approvals.jobs.ts'
import { createLiveApprovals } from './approvals.live.ts'
import { approvalsChanged } from './approvals.notices.ts'
import { createApprovalQueue } from './approvals.queue.ts'
import { mountApprovals } from './approvals.routes.ts'
import { approvalSeeds } from './approvals.seeds.ts'
import { createApprovals } from './approvals.service.ts'
import { createApprovalTasks } from './approvals.tasks.ts'

export type { Approvals } from './approvals.service.ts'
export {
  type AskedDeed,
  type Asking,
  asWaiting,
  type Consent,
  type Deed,
  describeWait,
  isAgreed,
  isToBeAsked,
  type LastAsked,
  patientMinutes,
  refuseGrown,
} from './deeds.ts'

/** Deeds of other features that a second person has to agree to. */
export const approvals = feature({
  name: 'approvals',
  tables: ['approval'],
  constraints: { approval_waiting_once: 'approvalWaiting' },
  notices: [approvalsChanged],
  seeds: approvalSeeds,
  create({ config, db, pool, log, notices }) {
    const tellChanged = (id: string) => notices.publish(approvalsChanged, [id])
    const service = createApprovals({ db, config, tellChanged })
    return {
      service,
      mount: (api) => mountApprovals(api, service),
      live: [createLiveApprovals({ notices })],
      tasks: [createApprovalTasks({ db })],
      jobs: [createApprovalsJob({ db, keptDays: config.historyRetentionDays })],
      workers: [createApprovalQueue({ pool, notices, log }, tellChanged)],
    }
  },
})
