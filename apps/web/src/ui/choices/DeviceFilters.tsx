import { businessStatuses, businessStatusNames, offlineHours } from '@voltkeep/contract/devices'
import { texts } from '../../lib/texts/index.ts'
import { ChoiceFilter, TextFilter } from '../list/filters.tsx'
import type { Draft } from '../list/useDraft.ts'
import { choicesOf } from './choicesOf.ts'
import { FullFewerFilter } from './FullFewerFilter.tsx'
import { EquipTypeFilter, ModelFilter, MoreFilters, OwnerFilters, RegionFilter } from './filters.tsx'

const { fields, states } = texts
const folded = ['offlineHours', 'fullFewerThan', 'equipModelId', 'statuses', 'regionCode', 'address']
const foldedBesideRegion = folded.filter((name) => name !== 'regionCode')

/**
 * The filters of devices, without the codes: in the list of devices, and where devices are chosen, which is by region
 * first.
 */
export function DeviceFilters({
  of: draft,
  hasRegionFirst = false,
}: {
  of: Draft
  hasRegionFirst?: boolean
}) {
  return (
    <>
      {hasRegionFirst && <RegionFilter of={draft} />}
      <OwnerFilters of={draft} />
      <EquipTypeFilter of={draft} />
      <ChoiceFilter
        of={draft}
        name="isOnline"
        label={fields.state}
        options={[
          { value: 1, label: states.online },
          { value: 0, label: states.offline },
          { value: 2, label: states.never },
        ]}
      />
      <ChoiceFilter
        of={draft}
        name="hasAlarm"
        label={fields.hasAlarm}
        options={[
          { value: 1, label: states.hasAlarm[1] },
          { value: 0, label: states.hasAlarm[0] },
        ]}
      />
      <MoreFilters of={draft} fields={hasRegionFirst ? foldedBesideRegion : folded}>
        <ChoiceFilter
          of={draft}
          name="offlineHours"
          label={fields.offlineFor}
          options={offlineHours.map((hours) => ({ value: hours, label: states.offlineFor(hours) }))}
        />
        <FullFewerFilter of={draft} />
        <ModelFilter of={draft} />
        <ChoiceFilter
          of={draft}
          name="statuses"
          label={fields.businessStatus}
          isMultiple
          options={choicesOf(businessStatuses, businessStatusNames)}
        />
        {!hasRegionFirst && <RegionFilter of={draft} />}
        <TextFilter of={draft} name="address" label={fields.address} />
      </MoreFilters>
    </>
  )
}
