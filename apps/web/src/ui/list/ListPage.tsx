// The one pattern of every list: title and count, filters, rows that fill the height, pager, selection.
import { CheckSquareOutlined, FilterOutlined } from '@ant-design/icons'
import type { Schema } from '@voltkeep/contract/endpoint'
import { Button } from 'antd'
import { type ReactNode, useRef, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { useShownFirst } from '../../lib/firstShown.ts'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { EmptyState } from '../EmptyState.tsx'
import { lazyDialog } from '../lazyDialog.tsx'
import { type Card, type Column, DataTable } from './DataTable.tsx'
import { FilterChips } from './filter/chips.tsx'
import { type Linked, LinkedFilters } from './filter/LinkedFilters.tsx'
import { useFilterKey } from './filter/useFilterKey.ts'
import styles from './ListPage.module.css'
import { LiveBar, type LiveBarProps } from './LiveBar.tsx'
import { SavedFilters } from './saved/SavedFilters.tsx'
import { shownOf } from './table/columns.ts'
import { KeyHints, ListFrame } from './table/ListFrame.tsx'
import { Pager } from './table/Pager.tsx'
import { SelectionBar } from './table/SelectionBar.tsx'
import { sortingOf } from './table/Sort.tsx'
import { TableSettings, useColumns } from './table/TableSettings.tsx'
import { type Draft, useDraft } from './useDraft.ts'
import type { List } from './useList.ts'
import type { RowSelection } from './useSelection.ts'

const FilterSheet = lazyDialog(() => import('./filter/FilterSheet.tsx'), { place: 'bottom' })

export interface ListPageProps<I extends Schema, Row> {
  title: string
  /** The measure word of a row, for the total: 台, 人, 个, 条. */
  measure: string
  list: List<I, Row>
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** The filters in their row; each takes the draft. */
  filters?: (draft: Draft) => ReactNode
  /** They share the width of one line, rather than taking a second. */
  filtersInLine?: boolean
  /** Buttons at the right of the title. */
  actions?: ReactNode
  /** Between title and filters, e.g. tabs. */
  head?: ReactNode
  card?: (row: Row) => Card
  onOpen?: (row: Row) => void
  openKey?: string | undefined
  changedKeys?: ReadonlySet<string>
  /** New rows that wait to be shown. */
  live?: LiveBarProps | undefined
  /** Rows can be chosen; `actions` are the actions on them. */
  selection?: (RowSelection<Row> & { actions: ReactNode }) | undefined
  /** The text of an empty list without filters. */
  empty?: { title: string; hint?: ReactNode; action?: ReactNode }
  /** The text of an empty list with filters, e.g. 没有符合条件的告警. */
  emptyFiltered?: string
  /** Filters that only links set, without a control. */
  linked?: Linked | undefined
  /** Between the filters and the rows: choices of one press. */
  strip?: ReactNode
}

export function ListPage<I extends Schema, Row>({
  title,
  measure,
  list,
  columns,
  keyOf,
  filters,
  filtersInLine,
  actions,
  head,
  card,
  onOpen,
  openKey,
  changedKeys,
  selection,
  live,
  empty,
  emptyFiltered,
  linked,
  strip,
}: ListPageProps<I, Row>) {
  const isNarrow = useMedia(narrowQuery)
  useShownFirst(!list.isFirst)
  const [arranged, chooseColumns] = useColumns(list.name, columns)
  const draft = useDraft(list as unknown as List)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const filterRow = useRef<HTMLFormElement>(null)
  useFilterKey(() => {
    if (isNarrow && filters) setSheetOpen(true)
    else filterRow.current?.querySelector<HTMLElement>('input')?.focus()
  })
  const hasCards = isNarrow && card !== undefined
  const tableRef = useRef<HTMLDivElement>(null)
  const count = formatCount(list.total)
  const { keys } = texts.list
  const hints: [string[], string][] = [
    ...(filters ? [[['/'], keys.focus] satisfies [string[], string]] : []),
    [['↑', '↓'], keys.move],
    ...(onOpen ? [[['Enter'], keys.open] satisfies [string[], string]] : []),
    ...(selection ? [[[keys.space], keys.choose] satisfies [string[], string]] : []),
  ]
  // Read before, but not this time: the former rows stay visible.
  const isKept = list.error !== null && list.readAtMs > 0

  const skeletonRows = list.isFirst || (list.error && !isKept) ? Math.min(list.pageSize, 20) : 0
  const [isPicking, setPicking] = useState(false)
  // Cards have checkboxes only while somebody chooses: otherwise a thumb that opens a row would hit them.
  const isChoosing = selection !== undefined && (hasCards ? isPicking : selection.rows.length > 0)
  const stopPicking = () => {
    setPicking(false)
    selection?.clear()
  }

  return (
    <ListFrame
      title={title}
      beside={
        <>
          {head && !isNarrow && <div className={styles.tabs}>{head}</div>}
          {!list.isFirst && !list.error && (
            <span className={styles.count}>{texts.list.total(count, measure)}</span>
          )}
          {live && <LiveBar {...live} rows={tableRef} />}
        </>
      }
      actions={
        <>
          {isNarrow && filters && (
            <Button icon={<FilterOutlined />} onClick={() => setSheetOpen(true)}>
              {list.filterCount > 0 ? texts.list.filtersWith(list.filterCount) : texts.list.filters}
            </Button>
          )}
          {actions}
          {hasCards && selection && !isPicking && (
            <Button
              icon={<CheckSquareOutlined />}
              aria-label={texts.list.selection.begin}
              title={texts.list.selection.begin}
              disabled={list.rows.length === 0}
              onClick={() => setPicking(true)}
            />
          )}
          {!hasCards && <TableSettings arranged={arranged} onChoose={chooseColumns} />}
        </>
      }
      isFetching={list.isFetching}
      error={list.error}
      onRetry={list.retry}
      hasRows={isKept}
      scroller={tableRef}
      hasCards={hasCards}
      rows={
        <DataTable
          label={title}
          columns={shownOf(arranged)}
          rows={list.rows}
          keyOf={keyOf}
          card={card}
          isNarrow={isNarrow}
          onOpen={onOpen}
          openKey={openKey}
          changedKeys={changedKeys}
          selection={hasCards && !isPicking ? undefined : selection}
          isDimmed={list.isStale || isKept}
          skeletonRows={skeletonRows}
          sorting={sortingOf(list as unknown as List)}
          empty={<NoRows list={list as unknown as List} empty={empty} emptyFiltered={emptyFiltered} />}
        />
      }
      foot={
        <>
          {isChoosing ? (
            <SelectionBar
              selection={selection}
              page={hasCards ? list.rows : undefined}
              onDone={hasCards ? stopPicking : undefined}
            >
              {selection.actions}
            </SelectionBar>
          ) : (
            !isNarrow && <KeyHints hints={hints} />
          )}
          <Pager list={list as unknown as List} measure={measure} isNarrow={isNarrow} />
        </>
      }
    >
      {head && isNarrow && <div className={styles.narrowTabs}>{head}</div>}
      {filters && !isNarrow && (
        <form
          ref={filterRow}
          className={styles.filters}
          data-line={filtersInLine}
          onSubmit={draft.onSubmit}
          aria-label={texts.list.filters}
        >
          {filters(draft)}
          <div className={styles.filterButtons}>
            <Button type="primary" htmlType="submit">
              {texts.list.search}
            </Button>
            <Button onClick={draft.reset}>{texts.list.reset}</Button>
            <SavedFilters list={list as unknown as List} />
          </div>
        </form>
      )}
      <FilterChips list={list as unknown as List} filters={filters}>
        {linked && <LinkedFilters list={list as unknown as List} linked={linked} />}
      </FilterChips>
      {strip}
      {filters && isNarrow && isSheetOpen && (
        <FilterSheet list={list as unknown as List} draft={draft} onClose={() => setSheetOpen(false)}>
          {filters(draft)}
        </FilterSheet>
      )}
    </ListFrame>
  )
}

function NoRows({
  list,
  empty,
  emptyFiltered,
}: Pick<ListPageProps<Schema, unknown>, 'empty' | 'emptyFiltered'> & { list: List }) {
  if (list.total > 0) {
    return (
      <EmptyState
        title={texts.list.beyond(list.pageNum)}
        hint={texts.list.beyondHint(Math.ceil(list.total / list.pageSize))}
        action={<Button onClick={() => list.turn(1, list.pageSize)}>{texts.list.firstPage}</Button>}
      />
    )
  }
  if (list.filterCount > 0) {
    return (
      <EmptyState
        title={emptyFiltered ?? texts.list.emptyFiltered}
        hint={texts.list.emptyFilteredHint}
        action={<Button onClick={list.reset}>{texts.list.clearFilters}</Button>}
      />
    )
  }
  return <EmptyState title={empty?.title ?? texts.list.empty} hint={empty?.hint} action={empty?.action} />
}
