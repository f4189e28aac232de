import { businessStatuses } from '@voltkeep/contract/devices'
import { texts } from '../../lib/texts/index.ts'
import {
  EquipTypeFilter,
  ModelFilter,
  MoreFilters,
  OwnerFilters,
  RegionFilter,
} from '../../ui/choices/filters.tsx'
import { ChoiceFilter, TextFilter } from '../../ui/list/filters.tsx'
import type { Draft } from '../../ui/list/useDraft.ts'

const { fields } = texts.devices
const folded = ['equipModelId', 'statuses', 'regionCode', 'address']

export function DeviceFilters({ of: draft }: { of: Draft }) {
  return (
    <>
      <TextFilter of={draft} name="code" label={fields.code} placeholder={fields.codeHint} />
      <OwnerFilters of={draft} />
      <EquipTypeFilter of={draft} />
      <ChoiceFilter
        of={draft}
        name="isOnline"
        label={fields.state}
        placeholder={texts.list.all}
        options={[
          { value: 1, label: texts.states.online },
          { value: 0, label: texts.states.offline },
        ]}
      />
      <ChoiceFilter
        of={draft}
        name="hasAlarm"
        label={fields.hasAlarm}
        placeholder={texts.list.all}
        options={[
          { value: 1, label: texts.devices.hasAlarm[1] },
          { value: 0, label: texts.devices.hasAlarm[0] },
        ]}
      />
      <MoreFilters of={draft} fields={folded}>
        <ModelFilter of={draft} />
        <ChoiceFilter
          of={draft}
          name="statuses"
          label={fields.businessStatus}
          isMultiple
          placeholder={texts.list.all}
          options={businessStatuses.map((status) => ({
            value: status,
            label: texts.devices.businessStatuses[status],
          }))}
        />
        <RegionFilter of={draft} />
        <TextFilter of={draft} name="address" label={fields.address} />
      </MoreFilters>
    </>
  )
}
