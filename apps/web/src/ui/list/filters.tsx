// The filters that any list may have: text, choice, range. Filters for devices, regions and operators are in ui/choices.
import { Fragment, type ReactNode, useId } from 'react'
import { mobileQuery, useMedia } from '../../lib/browser/media.ts'
import { texts } from '../../lib/texts/index.ts'
import { Listbox } from '../buttons/Listbox.tsx'
import { late } from '../late.tsx'
import { useNow } from '../time/RelativeTime.tsx'
import { FilterChip, useIsChip } from './chips.tsx'
import styles from './filters.module.css'
import { Input, Later, SearchSelect } from './Later.tsx'
import { RangePresets } from './RangePresets.tsx'
import { assumedEnd } from './ranges.ts'
import type { Draft } from './useDraft.ts'

const DateRange = late(() => import('./DateRange.tsx'))
const NativeRange = late(async () => ({ default: (await import('./NativeRange.tsx')).NativeRange }))

interface FilterProps {
  of: Draft
  /** The field of the input. */
  name: string
  label: string
}

/** The frame of a filter: its label inside the row, its problem below. For filters of a page's own making too. */
export function Filter({
  label,
  problem,
  isWide = false,
  beside,
  children,
}: {
  label: string
  /** A quiet text after the control. */
  beside?: string | undefined
  problem?: string | undefined
  isWide?: boolean | 'codes' | 'widest'
  children: (ids: { id: string; describedBy: string | undefined }) => ReactNode
}) {
  const id = useId()
  const problemId = `${id}-problem`
  // A page's own filter without a text for its chip has none.
  if (useIsChip()) return null
  return (
    <div className={styles.filter} data-wide={isWide || undefined}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({ id, describedBy: problem ? problemId : undefined })}
      {beside && <span className={styles.beside}>{beside}</span>}
      {problem && (
        <span id={problemId} role="alert" className={styles.problem}>
          {problem}
        </span>
      )}
    </div>
  )
}

/** Free text; lists stand comma-joined. Enter applies. */
export function TextFilter({ of: draft, name, label, placeholder }: FilterProps & { placeholder?: string }) {
  const value = draft.values[name]
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
  const problem = draft.problem(name)
  if (useIsChip()) {
    return (
      <FilterChip of={draft} names={[name]} label={label}>
        {Array.isArray(value) ? value.join('、') : String(value ?? '')}
      </FilterChip>
    )
  }
  return (
    <Filter label={label} problem={problem}>
      {({ id, describedBy }) => (
        <Later text={text || placeholder}>
          <Input
            id={id}
            aria-describedby={describedBy}
            status={problem ? 'error' : ''}
            placeholder={placeholder}
            allowClear
            value={text}
            onChange={(event) => draft.set({ [name]: event.target.value })}
          />
        </Later>
      )}
    </Filter>
  )
}

export interface Choice {
  value: string | number
  label: ReactNode
  /** The text that typing searches, where the label is not text. */
  text?: string
}

export interface ChoiceFilterProps extends FilterProps {
  options: readonly Choice[]
  isMultiple?: boolean
  isDisabled?: boolean
  isLoading?: boolean
  placeholder?: string
  /** In place of the choices where there are none, e.g. that they could not be read. */
  none?: ReactNode
  /** Other fields that are cleared with a new choice, e.g. the operator with its manufacturer. */
  clears?: readonly string[]
}

/**
 * antd draws a list that is as wide as its widest choice completely, also the invisible part. A long one, such as a
 * list of thousands of operators, has a width of its own instead, and only its visible part is drawn.
 */
const drawnAtOnce = 200
const longListWidthPx = 320

/** One or several of a list. */
export function ChoiceFilter({
  of: draft,
  name,
  label,
  options,
  isMultiple = false,
  isDisabled = false,
  isLoading = false,
  placeholder = texts.list.all,
  none,
  clears = [],
}: ChoiceFilterProps) {
  const problem = draft.problem(name)
  const shown = [draft.values[name] ?? []]
    .flat()
    .map((value) => options.find((option) => option.value === value)?.label ?? String(value))
  if (useIsChip()) {
    return (
      <FilterChip of={draft} names={[name]} label={label} clears={clears}>
        {joined(shown)}
      </FilterChip>
    )
  }
  return (
    <Filter label={label} problem={problem}>
      {({ id, describedBy }) => (
        <Later text={shown.length > 0 ? joined(shown) : placeholder}>
          <SearchSelect
            id={id}
            aria-describedby={describedBy}
            status={problem ? 'error' : ''}
            {...(isMultiple && { mode: 'multiple' })}
            // Tags have room for one name, or for "+ 2"; a text has room for two or three.
            maxTagCount={0}
            maxTagPlaceholder={(chosen) => <Names of={chosen.map((one) => one.label)} />}
            value={(draft.values[name] as string | undefined) ?? (isMultiple ? ([] as never) : undefined)}
            options={options as { value: string; label: ReactNode; text?: string }[]}
            disabled={isDisabled}
            loading={isLoading}
            placeholder={placeholder}
            notFoundContent={none}
            allowClear
            popupRender={(list) => <Listbox>{list}</Listbox>}
            popupMatchSelectWidth={options.length > drawnAtOnce ? longListWidthPx : false}
            onChange={(value: unknown) =>
              draft.set({ [name]: value, ...Object.fromEntries(clears.map((other) => [other, undefined])) })
            }
          />
        </Later>
      )}
    </Filter>
  )
}

const joined = (names: readonly ReactNode[]) =>
  names.map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the names of one text, in their order
    <Fragment key={at}>
      {at > 0 && '、'}
      {name}
    </Fragment>
  ))

function Names({ of }: { of: readonly ReactNode[] }) {
  return (
    <span title={of.every((name) => typeof name === 'string') ? of.join('、') : undefined}>{joined(of)}</span>
  )
}

/**
 * `startTime` and `endTime`, as days or to the second, and the usual ranges beside them. The calendar loads by itself.
 */
export function RangeFilter({
  of: draft,
  label,
  hasTime = false,
  hasPresets = true,
}: Omit<FilterProps, 'name'> & {
  hasTime?: boolean
  /** The usual ranges beside it, rather than in its calendar: without them a list's filters stand in one line. */
  hasPresets?: boolean
}) {
  const isMobile = useMedia(mobileQuery)
  const problem = draft.problem('startTime') ?? draft.problem('endTime')
  const Range = isMobile ? NativeRange : DateRange
  const from = draft.values.startTime as string | undefined
  const until = draft.values.endTime as string | undefined
  const now = useNow()
  // A list with a range after 重置 is one over history, for which the server closes an open range.
  const assumed = draft.cleared.startTime === undefined ? undefined : assumedEnd(from, until, now)
  if (useIsChip()) {
    return (
      <FilterChip of={draft} names={['startTime', 'endTime']} label={label}>
        {texts.list.range(from, until)}
      </FilterChip>
    )
  }
  return (
    <div className={styles.ranged}>
      <Filter
        label={label}
        problem={problem}
        isWide={hasTime ? 'widest' : true}
        beside={assumed && texts.list.assumed[assumed.side](assumed.day)}
      >
        {({ id, describedBy }) => (
          <Later text={from || until ? texts.list.range(from, until) : texts.list.from}>
            <Range
              id={id}
              describedBy={describedBy}
              hasProblem={problem !== undefined}
              hasTime={hasTime}
              hasPresets={!hasPresets}
              from={from}
              until={until}
              onChange={(startTime, endTime) => draft.set({ startTime, endTime })}
            />
          </Later>
        )}
      </Filter>
      {hasPresets && <RangePresets of={draft} />}
    </div>
  )
}
