// The page of a tree: filter, tree table, the open node.
import { text } from '@voltkeep/contract/fields'
import { Button, Input } from 'antd'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import type { CallError } from '../../lib/wire/call.ts'
import { EmptyState } from '../EmptyState.tsx'
import { DataTable } from '../list/DataTable.tsx'
import { useFilterKey } from '../list/filter/useFilterKey.ts'
import pageStyles from '../list/ListPage.module.css'
import { KeyHints, ListFrame } from '../list/table/ListFrame.tsx'
import styles from './TreePage.module.css'
import { TreeTable, type TreeTableProps } from './TreeTable.tsx'
import { type TreeRow, type TreeShape, treeRows } from './treeRows.ts'

const Search = z.object({ keyword: z.optional(text('关键字', 64)) })

/** What a query of TanStack returns, as far as the page needs it. */
export interface TreeQuery<Node> {
  data: readonly Node[] | undefined
  isFetching: boolean
  error: CallError | null
  refetch: () => unknown
}

export interface TreePageProps<Node>
  extends Pick<TreeTableProps<Node>, 'nameOf' | 'render' | 'columns' | 'second' | 'onOpen' | 'openKey'> {
  title: string
  /** The measure word of a node, for the total. */
  measure: string
  /** Of the column that is the tree. */
  nameTitle: ReactNode
  query: TreeQuery<Node>
  shape: TreeShape<Node>
  /** Levels above this one are open at first; 2 by default. */
  openLevels?: number
  placeholder: string
  /** Buttons at the right of the title. */
  actions?: ReactNode
  empty: { title: string; hint?: ReactNode; action?: ReactNode }
}

/**
 * The one pattern of every tree: title and count, a keyword (kept in the address) that narrows it as it is
 * typed, the tree as a table that fills the height.
 */
export function TreePage<Node>({
  title,
  measure,
  nameTitle,
  query,
  shape,
  openLevels = 2,
  placeholder,
  actions,
  empty,
  ...table
}: TreePageProps<Node>) {
  const isNarrow = useMedia(narrowQuery)
  const [{ keyword = '' }, setSearch] = useUrlState(Search)
  const [typed, setTyped] = useTyped(keyword, (next) => setSearch({ keyword: next }, { replace: true }))
  const wanted = useDeferredValue(typed)
  const [toggled, setToggled] = useState<{ for: string; keys: ReadonlyMap<string, boolean> }>({
    for: '',
    keys: new Map(),
  })
  // Nodes opened during one search do not stay open in the next.
  const keys = toggled.for === wanted ? toggled.keys : noKeys
  const { data } = query
  const { rows, count } = useMemo(
    () => treeRows(data ?? [], shape, { toggled: keys, openLevels, keyword: wanted }),
    [data, shape, keys, openLevels, wanted],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const searchRow = useRef<HTMLFormElement>(null)
  useFilterKey(() => searchRow.current?.querySelector('input')?.focus())
  const toggle = ({ key, isOpen }: TreeRow<Node>) =>
    setToggled({ for: wanted, keys: new Map(keys).set(key, !isOpen) })

  const { keys: listKeys } = texts.list
  const hints: [string[], string][] = [
    [['/'], texts.tree.keys.search],
    [['↑', '↓'], listKeys.move],
    [['←', '→'], texts.tree.keys.fold],
    ...(table.onOpen ? [[['Enter'], listKeys.open] satisfies [string[], string]] : []),
  ]

  return (
    <ListFrame
      title={title}
      beside={
        data && <span className={pageStyles.count}>{texts.list.total(formatCount(count), measure)}</span>
      }
      actions={actions}
      isFetching={query.isFetching}
      error={query.error}
      onRetry={() => void query.refetch()}
      hasRows={data !== undefined}
      scroller={scroller}
      rows={
        !data ? (
          <TreeSkeleton label={title} nameTitle={nameTitle} columns={table.columns} isNarrow={isNarrow} />
        ) : rows.length > 0 ? (
          <TreeTable
            {...table}
            label={title}
            title={nameTitle}
            rows={rows}
            isNarrow={isNarrow}
            onToggle={toggle}
            scroller={scroller}
          />
        ) : wanted.trim() !== '' ? (
          <EmptyState
            title={texts.tree.notFound(wanted.trim())}
            hint={texts.tree.notFoundHint}
            action={<Button onClick={() => setTyped('')}>{texts.tree.clear}</Button>}
          />
        ) : (
          <EmptyState {...empty} />
        )
      }
      foot={!isNarrow && <KeyHints hints={hints} />}
    >
      <form
        ref={searchRow}
        className={styles.search}
        aria-label={texts.list.filters}
        onSubmit={(event) => event.preventDefault()}
      >
        <Input
          value={typed}
          allowClear
          maxLength={64}
          aria-label={placeholder}
          placeholder={placeholder}
          onChange={(event) => setTyped(event.target.value)}
        />
      </form>
    </ListFrame>
  )
}

/** The placeholder until the tree comes, as of a list. */
function TreeSkeleton<Node>({
  label,
  nameTitle,
  columns,
  isNarrow,
}: {
  label: string
  nameTitle: ReactNode
  columns: TreeTableProps<Node>['columns']
  isNarrow: boolean
}) {
  return (
    <DataTable
      label={label}
      columns={[{ key: 'name', title: nameTitle, render: () => null }, ...columns]}
      rows={[]}
      keyOf={() => ''}
      card={() => ({ lead: null, second: null })}
      isNarrow={isNarrow}
      skeletonRows={20}
    />
  )
}

const noKeys: ReadonlyMap<string, boolean> = new Map()

const typingPauseMs = 250

/** The text in the field; the address follows after a pause, and sets the text where it changes by itself. */
function useTyped(keyword: string, setKeyword: (keyword: string | undefined) => void) {
  const [typed, setTyped] = useState(keyword)
  const written = useRef(keyword)
  const write = useRef(setKeyword)
  useEffect(() => {
    write.current = setKeyword
  })
  useEffect(() => {
    if (keyword === written.current) return
    written.current = keyword
    setTyped(keyword)
  }, [keyword])
  useEffect(() => {
    const next = typed.trim()
    if (next === written.current) return
    const timer = setTimeout(() => {
      written.current = next
      write.current(next || undefined)
    }, typingPauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped] as const
}
