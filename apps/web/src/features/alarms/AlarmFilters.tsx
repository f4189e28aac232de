import { alarmHandlings, handlingNames } from '@voltkeep/contract/alarms'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import {
  EquipTypeFilter,
  ModelFilter,
  MoreFilters,
  OwnerFilters,
  RegionFilter,
} from '../../ui/choices/filters.tsx'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import { ChoiceFilter, RangeFilter, TextFilter } from '../../ui/list/filters.tsx'
import type { Draft } from '../../ui/list/useDraft.ts'
import { alarmTexts } from './alarms.texts.ts'

const { fields, states } = alarmTexts
const folded = ['code', 'equipTypeId', 'status', 'handling']

/** `hasAll`: for the current list, which leaves out recovered alarms unless asked for them. Chips filter by level. */
export function AlarmFilters({ of: draft, hasAll }: { of: Draft; hasAll: boolean }) {
  return (
    <>
      {!hasAll && <RegionFilter of={draft} />}
      <OwnerFilters of={draft} />
      <ModelFilter of={draft} />
      <TextFilter of={draft} name="semaphoreName" label={fields.content} placeholder={fields.contentHint} />
      <RangeFilter
        of={draft}
        label={hasAll ? fields.reportDate : fields.occurrenceDate}
        hasPresets={!hasAll}
      />
      <MoreFilters of={draft} fields={hasAll ? ['regionCode', ...folded] : folded}>
        {hasAll && <RegionFilter of={draft} />}
        <EquipTypeFilter of={draft} />
        <CodesFilter of={draft} label={fields.code} />
        <ChoiceFilter
          of={draft}
          name="handling"
          label={alarmTexts.handle.state}
          isMultiple
          options={choicesOf(alarmHandlings, handlingNames)}
        />
        <ChoiceFilter
          of={draft}
          name="status"
          label={fields.state}
          placeholder={states.all}
          options={
            hasAll
              ? [
                  { value: '1', label: states.active },
                  { value: '0', label: states.recovered },
                  { value: 'all', label: states.all },
                ]
              : [
                  { value: 1, label: states.active },
                  { value: 0, label: states.recovered },
                ]
          }
        />
      </MoreFilters>
    </>
  )
}
