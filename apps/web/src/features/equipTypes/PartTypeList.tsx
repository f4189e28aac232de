// The tab of part types.
import { PlusOutlined } from '@ant-design/icons'
import {
  deletePartType,
  insertPartType,
  listPartTypes,
  type PartType,
  updatePartType,
} from '@voltkeep/contract/equipTypes'
import { text } from '@voltkeep/contract/fields'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { texts } from '../../lib/texts/index.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { contains, useWholeList } from '../../ui/list/useWholeList.ts'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { DeletePermitted } from './DeletePermitted.tsx'
import { equipTypeTexts } from './equipTypes.texts.ts'

const PartTypeDialog = lazyDialog(() => import('./PartTypeDialog.tsx'))

const { partTypes: words } = equipTypeTexts

const Filters = z.object({ keyword: z.optional(text(equipTypeTexts.fields.keyword, 64)) })

const matches = ({ code, name }: PartType, { keyword }: z.output<typeof Filters>) =>
  contains(keyword, code, name)

/** The part types. Devices report versions by their codes. */
export function PartTypeList({ head }: { head: ReactNode }) {
  const list = useWholeList(listPartTypes, { filters: Filters, matches })
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<PartType>()
  const mayAdd = usePermission(insertPartType.access)

  const actionsOf = (part: PartType) => (
    <RowActions
      more={
        <DeletePermitted
          endpoint={deletePartType}
          input={{ code: part.code }}
          title={words.removeTitle}
          body={words.removeAsk(part.code, part.name)}
        />
      }
    >
      <Permitted code={updatePartType.access}>
        <Button type="link" size="small" onClick={() => setEdited(part)}>
          {equipTypeTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
  const columns: Column<PartType>[] = [
    {
      key: 'code',
      title: words.fields.code,
      width: 320,
      fixed: 'left',
      render: ({ code }) => <CopyText text={code} />,
    },
    { key: 'name', title: words.fields.name, render: ({ name }) => name },
    {
      key: 'operation',
      title: texts.list.operation,
      width: 104,
      codes: [updatePartType.access, deletePartType.access],
      fixed: 'right',
      render: actionsOf,
    },
  ]

  return (
    <>
      <ListPage
        title={equipTypeTexts.tabs.parts}
        measure={words.measure}
        list={list}
        columns={columns}
        keyOf={({ code }) => code}
        head={head}
        filters={(draft) => <TextFilter of={draft} name="keyword" label={equipTypeTexts.fields.keyword} />}
        actions={
          <Permitted code={insertPartType.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
              {words.add}
            </Button>
          </Permitted>
        }
        card={(part) => ({ lead: part.name, second: part.code, action: actionsOf(part) })}
        empty={{
          title: words.empty,
          hint: mayAdd ? words.emptyHint : undefined,
          action: mayAdd && <AddFirst onClick={() => setAdding(true)} />,
        }}
        emptyFiltered={words.emptyFiltered}
      />
      {isAdding && <PartTypeDialog onClose={() => setAdding(false)} />}
      {edited && <PartTypeDialog key={edited.code} partType={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
