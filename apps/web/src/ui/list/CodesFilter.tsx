import { CodeBox } from './CodeBox.tsx'
import { Filter } from './filters.tsx'
import type { Draft } from './useDraft.ts'

/** Device codes, one per line. */
export function CodesFilter({ of: draft, label }: { of: Draft; label: string }) {
  const problem = draft.problem('code')
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
