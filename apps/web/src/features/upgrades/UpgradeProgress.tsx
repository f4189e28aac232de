import type { UpgradeCounts } from '@voltkeep/contract/upgrades'
import { WorkProgress } from '../../ui/work/WorkProgress.tsx'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'

export function UpgradeProgress({ counts }: { counts: UpgradeCounts }) {
  return <WorkProgress shares={sharesOf(counts)} total={counts.total} words={upgradeTexts.counted} />
}
