import { type ReactNode, useId } from 'react'
import { clearable } from '../typed/clearable.ts'
import type { useTyped } from '../typed/useTyped.ts'
import { Columns } from './Columns.tsx'
import type { useRegions } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

/** What a choice of one region and a choice of several give their cascader. */
export function useRegionOptions({
  id,
  describedBy,
  hasProblem = false,
  regions,
  typed,
}: {
  id: string | undefined
  describedBy?: string | undefined
  hasProblem?: boolean
  regions: ReturnType<typeof useRegions>
  typed: ReturnType<typeof useTyped>
}) {
  const noteId = useId()
  return {
    noteId,
    cascader: {
      id,
      'aria-describedby': typed.note ? noteId : describedBy,
      status: hasProblem || typed.isDropped ? ('error' as const) : ('' as const),
      style: { width: '100%' },
      options: regions.data ?? [],
      fieldNames: { label: 'label', value: 'value', children: 'childrens' } as const,
      showSearch: true,
      allowClear: clearable,
      loading: regions.isPending,
      notFoundContent: unread(regions),
      popupRender: (columns: ReactNode) => (
        <Owned by={id}>
          <Columns>{columns}</Columns>
        </Owned>
      ),
      displayRender: (labels: readonly string[]) => labels.slice(-2).join(' / '),
    },
  }
}
