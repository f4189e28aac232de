import { liveApprovals } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { approvalsChanged } from './approvals.notices.ts'

/** Approvals in the live stream: it names none, since who may know of one is asked for at the list. */
export function createLiveApprovals({ notices }: { notices: Pick<Notices, 'subscribe'> }): LiveNoun {
  return {
    declared: liveApprovals,
    follow: ({ changed }) => notices.subscribe(approvalsChanged, () => changed(null)),
    placesOf: async () => [],
  }
}
