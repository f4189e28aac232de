// The filters of devices, in their list and where devices are chosen.
import { businessStatuses, businessStatusNames, offlineHours } from '@voltkeep/contract/devices'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { useIsChip } from '../list/chips.tsx'
import { ChoiceFilter, TextFilter } from '../list/filters.tsx'
import type { Draft } from '../list/useDraft.ts'
import { choicesOf } from './choicesOf.ts'
import {
  EquipTypeFilter,
  ManufacturerFilter,
  ModelFilter,
  MoreFilters,
  OperatorFilter,
  OwnerFilters,
  RegionFilter,
} from './filters.tsx'

const { fields, states } = texts
const folded = ['offlineHours', 'fullFewerThan', 'equipModelId', 'statuses', 'regionCode', 'address']
const foldedBesideRegion = folded.filter((name) => name !== 'regionCode')
const foldedInLine = [...folded, 'operatorId']

/** Without the codes. Where devices are chosen, that is by region first. */
export function DeviceFilters({
  of: draft,
  hasRegionFirst = false,
  line,
  own,
}: {
  of: Draft
  hasRegionFirst?: boolean
  /** The class of the first ones, where they have to stand in one line: the operator is then folded. */
  line?: string | undefined
  /** Further ones of a page, among the folded, and their names. */
  own?: { names: readonly string[]; filters: ReactNode }
}) {
  const isChip = useIsChip()
  const common = (
    <>
      {hasRegionFirst && <RegionFilter of={draft} />}
      {line ? <ManufacturerFilter of={draft} /> : <OwnerFilters of={draft} />}
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
    </>
  )
  return (
    <>
      {line && !isChip ? <span className={line}>{common}</span> : common}
      <MoreFilters
        of={draft}
        fields={[
          ...(line ? foldedInLine : hasRegionFirst ? foldedBesideRegion : folded),
          ...(own?.names ?? []),
        ]}
      >
        {/* The manufacturer's field finds it, too. */}
        {line && <OperatorFilter of={draft} />}
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
        {own?.filters}
      </MoreFilters>
    </>
  )
}

const fullCounts = [1, 2, 3, 5, 8, 12]

/** Cabinets with fewer full batteries than a number. */
export const FullFewerFilter = ({ of: draft }: { of: Draft }) => (
  <ChoiceFilter
    of={draft}
    name="fullFewerThan"
    label={texts.fields.fullFewer}
    options={fullCounts.map((count) => ({ value: count, label: texts.states.batteries(count) }))}
  />
)
