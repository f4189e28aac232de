import { liveUpgradeTargets, liveUpgradeTasks } from '@voltkeep/contract'
import type { LiveNoun } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import { targets } from './targets/index.ts'
import { readPlacesOfTasks } from './tasks/index.ts'
import { upgradeTargetsChanged, upgradeTasksChanged } from './upgrades.notices.ts'

/** Tasks and targets in the live stream. */
export const createLiveUpgrades = ({
  db,
  notices,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe'>
}): LiveNoun[] => [
  liveNoun(liveUpgradeTasks, notices, {
    changed: upgradeTasksChanged,
    placesOf: (ids) => readPlacesOfTasks(db, ids),
  }),
  targets.live(liveUpgradeTargets, { db, notices }, { changed: upgradeTargetsChanged }),
]
