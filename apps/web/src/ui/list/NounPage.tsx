// The page of a plain noun: its list, and adding, editing and deleting for the users who may.
import type { InputFor, Schema } from '@voltkeep/contract/endpoint'
import { Fragment, type ReactNode, useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { useAdding } from '../buttons/adding.tsx'
import { DeleteButton, type DeleteButtonProps } from '../buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../buttons/RowActions.tsx'
import { codeOf, usePermission } from '../Permitted.tsx'
import type { Column } from './DataTable.tsx'
import { ListPage, type ListPageProps } from './ListPage.tsx'
import { operationColumn } from './plainColumns.tsx'

interface NounPageProps<I extends Schema, Row, Delete extends AnyEndpoint>
  extends Pick<ListPageProps<I, Row>, 'list' | 'columns' | 'keyOf' | 'filters' | 'head' | 'card'> {
  /** The page's name in the menu by default. */
  title?: string
  words: {
    measure: string
    /** The button above the list. */
    add: string
    /** The button of a row. */
    edit?: string
    /** The list without rows and filters, and what to do about it. */
    empty: string
    emptyHint: string
    emptyFiltered: string
  }
  insert: AnyEndpoint
  /** Without it rows are not edited. */
  update?: AnyEndpoint
  /** The form, with the row that is edited or none. Its code is loaded when it is opened: `lazyDialog`. */
  form: (props: { row?: Row; onClose: () => void }) => ReactNode
  remove: {
    endpoint: Delete
    input: (row: Row) => InputFor<Delete>
    words: DeleteButtonProps['words'] & { done: string }
    asks: (row: Row) => DeleteButtonProps['asks']
    /** The calls whose answers become stale. */
    stale: readonly AnyEndpoint[]
  }
  /** Further actions of a row. */
  also?: (row: Row) => ReactNode
  /** The width of the column of actions, in pixels. */
  actionsPx?: number
}

/** A list with one form for new and for known rows, and a deletion. */
export function NounPage<I extends Schema, Row, Delete extends AnyEndpoint>({
  title,
  words,
  list,
  columns,
  keyOf,
  filters,
  head,
  card,
  insert,
  update,
  form,
  remove,
  also,
  actionsPx = update ? 104 : 64,
}: NounPageProps<I, Row, Delete>) {
  const page = usePage()
  const adding = useAdding(insert, words)
  const [edited, setEdited] = useState<Row>()
  const mayEdit = usePermission(codeOf(update?.access ?? []))
  const mayDelete = usePermission(codeOf(remove.endpoint.access))
  const deleting = useWriting(remove.endpoint, remove.stale, { said: remove.words.done })

  const actions = (row: Row) => (
    <RowActions
      more={
        mayDelete && (
          <DeleteButton
            words={remove.words}
            asks={remove.asks(row)}
            onConfirm={() => deleting.mutateAsync(remove.input(row))}
          />
        )
      }
    >
      {also?.(row)}
      {mayEdit && <RowButton onClick={() => setEdited(row)}>{words.edit}</RowButton>}
    </RowActions>
  )
  const operation: Column<Row> = operationColumn(actionsPx, actions)
  const mayWrite = mayEdit || mayDelete
  const close = () => {
    adding.close()
    setEdited(undefined)
  }

  return (
    <>
      <ListPage<I, Row>
        title={title ?? page.title}
        measure={words.measure}
        list={list}
        keyOf={keyOf}
        filters={filters}
        head={head}
        columns={mayWrite ? [...columns, operation] : columns}
        actions={adding.button}
        card={card && ((row) => ({ ...card(row), ...(mayWrite && { action: actions(row) }) }))}
        empty={adding.empty}
        emptyFiltered={words.emptyFiltered}
      />
      {adding.isOpen && form({ onClose: close })}
      {edited && <Fragment key={keyOf(edited)}>{form({ row: edited, onClose: close })}</Fragment>}
    </>
  )
}
