import { liveUpgradeTargets, liveUpgradeTasks } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { readPlacesOfTargets } from './targets.lists.queries.ts'
import { readPlacesOfTasks } from './tasks.lists.queries.ts'
import { upgradeTargetsChanged, upgradeTasksChanged } from './upgrades.notices.ts'

/** Tasks and targets in the live stream. */
export function createLiveUpgrades({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun[] {
  return [
    {
      declared: liveUpgradeTasks,
      follow: ({ changed }) => notices.subscribe(upgradeTasksChanged, changed),
      placesOf: (ids) => readPlacesOfTasks(db, ids),
    },
    {
      declared: liveUpgradeTargets,
      follow: ({ changed }) => notices.subscribe(upgradeTargetsChanged, changed),
      placesOf: (ids) => readPlacesOfTargets(db, ids),
    },
  ]
}
