import { texts } from '../../lib/texts/index.ts'
import { CodeBox } from './filter/CodeBox.tsx'
import { FilterChip, useIsChip } from './filter/chips.tsx'
import { codesOf } from './filter/codes.ts'
import { Filter } from './filters.tsx'
import type { Draft } from './useDraft.ts'

/** With more codes the chip shows their number. */
const mostNamed = 3

/** Device codes, one per line. */
export function CodesFilter({ of: draft, label }: { of: Draft; label: string }) {
  const problem = draft.problem('code')
  if (useIsChip()) return <CodesChip of={draft} label={label} />
  return (
    <Filter label={label} problem={problem} isWide="codes">
      {({ id, describedBy }) => (
        <CodeBox
          id={id}
          describedBy={describedBy}
          hasProblem={problem !== undefined}
          value={draft.values.code}
          onChange={(code) => draft.set({ code: code.length > 0 ? code : undefined })}
          isCompact
        />
      )}
    </Filter>
  )
}

export function CodesChip({ of: draft, label }: { of: Draft; label: string }) {
  const codes = codesOf(draft.values.code)
  const named = codes.slice(0, mostNamed).join('、')
  return (
    <FilterChip of={draft} names={['code']} label={label}>
      {codes.length > mostNamed ? texts.list.andMore(named, codes.length) : named}
    </FilterChip>
  )
}
