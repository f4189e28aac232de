import type { DeliveryCounts, DeliveryState } from '@voltkeep/contract/advertisements'
import { sharesBy } from '../../ui/work/shares.ts'
import { WorkProgress } from '../../ui/work/WorkProgress.tsx'
import { advertisementTexts } from './advertisements.texts.ts'

export const sharesOf = sharesBy<DeliveryState>({
  waiting: 'open',
  sent: 'underWay',
  stored: 'good',
  shown: 'good',
  failed: 'failed',
  refused: 'failed',
  removing: 'underWay',
  removed: 'leftOut',
  ended: 'leftOut',
})

export function DeliveryProgress({ counts }: { counts: DeliveryCounts }) {
  return <WorkProgress shares={sharesOf(counts)} total={counts.total} words={advertisementTexts.counted} />
}
