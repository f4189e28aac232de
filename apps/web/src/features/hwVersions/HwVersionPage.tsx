// The list of hardware versions.
import { PlusOutlined } from '@ant-design/icons'
import {
  deleteHwVersion,
  type HwVersionRow,
  insertHwVersion,
  listHwVersions,
} from '@voltkeep/contract/hwVersions'
import { Button } from 'antd'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { EquipTypeFilter, ModelFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { hwVersionTexts } from './hwVersions.texts.ts'

const HwVersionDialog = lazyDialog(() => import('./HwVersionDialog.tsx'))

const { fields, remove } = hwVersionTexts

/** Hardware versions of the parts of models. */
export default function HwVersionPage() {
  const { title } = usePage()
  const list = useList(listHwVersions)
  const [isAdding, setAdding] = useState(false)
  const mayAdd = usePermission(insertHwVersion.access)
  const mayDelete = usePermission(deleteHwVersion.access)
  const deleting = useWriting(deleteHwVersion, [listHwVersions], { said: remove.done })

  const deletion = ({ id, equipModelName, partTypeName, versionCode }: HwVersionRow) => (
    <RowActions
      more={
        <DeleteButton
          words={remove}
          asks={[remove.ask(equipModelName, partTypeName, versionCode), remove.warn]}
          onConfirm={() => deleting.mutateAsync({ id })}
        />
      }
    />
  )
  const operation: Column<HwVersionRow> = {
    key: 'operation',
    title: texts.list.operation,
    width: 64,
    fixed: 'right',
    render: deletion,
  }
  const columns: Column<HwVersionRow>[] = [
    {
      key: 'versionName',
      title: fields.versionName,
      maxWidth: 220,
      fixed: 'left',
      render: ({ versionName }) => <span title={versionName}>{versionName}</span>,
    },
    {
      key: 'versionCode',
      title: fields.versionCode,
      width: 128,
      render: ({ versionCode }) => <CopyText text={versionCode} />,
    },
    {
      key: 'equipType',
      title: fields.equipType,
      maxWidth: 160,
      render: ({ equipTypeName }) => equipTypeName,
    },
    {
      key: 'equipModel',
      title: fields.equipModel,
      maxWidth: 160,
      render: ({ equipModelName }) => equipModelName,
    },
    { key: 'partType', title: fields.partType, maxWidth: 140, render: ({ partTypeName }) => partTypeName },
    {
      key: 'versionNote',
      title: fields.versionNote,
      maxWidth: 280,
      render: ({ versionNote }) =>
        versionNote === null ? <Nothing /> : <span title={versionNote}>{versionNote}</span>,
    },
    { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
    ...(mayDelete ? [operation] : []),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={hwVersionTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <EquipTypeFilter of={draft} />
            <ModelFilter of={draft} />
            <PartTypeFilter of={draft} label={fields.partType} />
            <TextFilter
              of={draft}
              name="versionName"
              label={fields.versionName}
              placeholder={fields.versionNameHint}
            />
          </>
        )}
        actions={
          <Permitted code={insertHwVersion.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
              {hwVersionTexts.add}
            </Button>
          </Permitted>
        }
        card={(row) => ({
          lead: row.versionName,
          aside: <span className="mono">{row.versionCode}</span>,
          second: `${row.equipModelName} · ${row.partTypeName}`,
          ...(mayDelete && { action: deletion(row) }),
        })}
        empty={{
          title: hwVersionTexts.empty,
          hint: mayAdd ? hwVersionTexts.emptyHint : undefined,
          action: mayAdd && <AddFirst onClick={() => setAdding(true)} />,
        }}
        emptyFiltered={hwVersionTexts.emptyFiltered}
      />
      {isAdding && (
        <HwVersionDialog
          equipType={list.filters.equipTypeId}
          equipModelId={list.filters.equipModelId}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
