import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { formatCount } from '../../lib/format.ts'
import { ReasonList } from '../../ui/ReasonList.tsx'
import { WatchPart } from '../../ui/WatchPage.tsx'
import { useDeviceFilters } from './devices.filters.ts'
import { batchTexts } from './parameterBatches.texts.ts'
import { DeviceState } from './StateTag.tsx'

const { batch: words } = batchTexts

/** Why devices failed or were left out. Pressing a reason filters the devices by it. */
export function Reasons({ batch: { reasons } }: { batch: ParameterBatchDetail }) {
  const filters = useDeviceFilters()
  return (
    <WatchPart title={words.failures}>
      <ReasonList
        none={words.noFailures}
        reasons={reasons.map(({ state, reason, count }) => ({
          key: `${state} ${reason}`,
          state: <DeviceState state={state} />,
          reason: namedReason(reason),
          count: batchTexts.deviceCount(formatCount(count)),
          onShow: () => filters.show({ states: [state], reason }),
        }))}
      />
    </WatchPart>
  )
}
