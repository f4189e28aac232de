// Operators and equipment types as controls of a form; filters.tsx has those of a list.
import { useQuery } from '@tanstack/react-query'
import { listOperators } from '@voltkeep/contract/operators'
import { readingRarely } from '../../lib/wire/reading.ts'
import { SearchSelect, type SearchSelectProps } from '../typed/SearchSelect.tsx'
import { useEquipTypes } from './choices.ts'
import { unread } from './Unread.tsx'

/** What a control that reads its own choices leaves to its form. */
export type ChoiceProps<Value> = Omit<SearchSelectProps<Value>, 'options' | 'loading' | 'notFoundContent'>

export function OperatorChoice<Value = string>(props: ChoiceProps<Value>) {
  const operators = useQuery(readingRarely(listOperators, {}))
  return (
    <SearchSelect<Value>
      {...props}
      loading={operators.isPending}
      notFoundContent={unread(operators)}
      options={(operators.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

export function EquipTypeChoice<Value = string>(props: ChoiceProps<Value>) {
  const types = useEquipTypes()
  return (
    <SearchSelect<Value>
      {...props}
      loading={types.isPending}
      notFoundContent={unread(types)}
      options={(types.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
