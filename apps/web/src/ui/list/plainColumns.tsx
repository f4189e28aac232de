import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { Nothing } from '../marks/Nothing.tsx'
import type { Column } from './DataTable.tsx'

type Texts<Name extends string> = Readonly<Record<Name, string | number | null | undefined>>
/** `key`, by which readers keep their choice of columns, is the field's name by default. */
type Look = Partial<Omit<Column<never>, 'title' | 'render'>> & { isMono?: boolean }

/** What the row has in a field, as it is. */
export const textColumn = <Name extends string>(
  name: Name,
  title: string,
  { isMono = false, ...look }: Look = {},
): Column<Texts<Name>> => ({
  key: name,
  title,
  ...look,
  render: ({ [name]: text }) => {
    if (text === null || text === undefined || text === '') return <Nothing />
    return isMono ? <span className="mono">{text}</span> : text
  },
})

/** A time to the second. */
export const timeColumn = <Name extends string>(name: Name, title: string, look?: Look) =>
  textColumn(name, title, { width: 168, ...look })

/** The buttons of a row, at the right; `codes` are those of which a user needs one to have any. */
export const operationColumn = <Row,>(
  width: number,
  render: (row: Row) => ReactNode,
  codes?: readonly string[],
): Column<Row> => ({
  key: 'operation',
  title: texts.list.operation,
  width,
  fixed: 'right',
  ...(codes && { codes }),
  render,
})
