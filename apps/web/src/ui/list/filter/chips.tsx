// Filters in effect, as chips that remove them.
import { CloseOutlined } from '@ant-design/icons'
import { createContext, type ReactNode, use } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import { IconButton } from '../../buttons/IconButton.tsx'
import styles from '../ListPage.module.css'
import type { Draft } from '../useDraft.ts'
import type { List } from '../useList.ts'

/**
 * The filters of a list are rendered twice: as controls, and inside this as chips. A filter that is rendered as a chip
 * shows one where it is in effect, and nothing else.
 */
const ChipsContext = createContext(false)

/** Whether a filter stands among the chips: it renders a `FilterChip` or nothing. */
export function useIsChip(): boolean {
  return use(ChipsContext)
}

export function FilterChips({
  list,
  filters,
  children,
}: {
  list: List
  filters?: ((draft: Draft) => ReactNode) | undefined
  /** Further chips. */
  children?: ReactNode
}) {
  return (
    <ul className={styles.chips} aria-label={texts.list.inEffect}>
      <ChipsContext value={true}>{filters?.(appliedDraft(list))}</ChipsContext>
      {children}
    </ul>
  )
}

/** The filters as they are applied: a change is applied at once. */
function appliedDraft(list: List): Draft {
  return {
    values: list.filters,
    cleared: list.cleared,
    set: (changed) => list.apply({ ...list.filters, ...changed }),
    problem: () => undefined,
    submit: () => true,
    onSubmit: () => undefined,
    reset: list.reset,
  }
}

/** The chip of a filter over these fields; nothing while they have the values of 重置. */
export function FilterChip({
  of: draft,
  names,
  label,
  clears = [],
  children,
}: {
  of: Draft
  names: readonly string[]
  label: string
  /** Fields that are cleared with it. */
  clears?: readonly string[]
  children: ReactNode
}) {
  const isInEffect = names.some(
    (name) =>
      isGiven(draft.values[name]) &&
      JSON.stringify(draft.values[name]) !== JSON.stringify(draft.cleared[name]),
  )
  if (!isInEffect) return null
  const drop = () =>
    draft.set({
      ...Object.fromEntries(names.map((name) => [name, draft.cleared[name]])),
      ...Object.fromEntries(clears.map((name) => [name, undefined])),
    })
  return (
    <Chip label={label} onDrop={drop}>
      {children}
    </Chip>
  )
}

export function Chip({
  label,
  onDrop,
  children,
}: {
  label: string
  onDrop: () => void
  children: ReactNode
}) {
  return (
    <li className={styles.chip}>
      <span>
        {label}：{children}
      </span>
      <IconButton label={texts.list.dropFilter(label)} onClick={onDrop}>
        <CloseOutlined aria-hidden="true" />
      </IconButton>
    </li>
  )
}

export const isGiven = (value: unknown) =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)
