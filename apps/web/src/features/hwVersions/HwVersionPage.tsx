// The list of hardware versions of the parts of models.
import {
  deleteHwVersion,
  type HwVersionRow,
  insertHwVersion,
  listHwVersions,
} from '@voltkeep/contract/hwVersions'
import { CopyText } from '../../ui/CopyText.tsx'
import { EquipTypeFilter, ModelFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { hwVersionTexts } from './hwVersions.texts.ts'

const HwVersionDialog = lazyDialog(() => import('./HwVersionDialog.tsx'))

const { fields, remove } = hwVersionTexts

const columns: Column<HwVersionRow>[] = [
  textColumn('versionName', fields.versionName, { maxWidth: 220, fixed: 'left' }),
  {
    key: 'versionCode',
    title: fields.versionCode,
    width: 128,
    render: ({ versionCode }) => <CopyText text={versionCode} />,
  },
  textColumn('equipTypeName', fields.equipType, { key: 'equipType', maxWidth: 160 }),
  textColumn('equipModelName', fields.equipModel, { key: 'equipModel', maxWidth: 160 }),
  textColumn('partTypeName', fields.partType, { key: 'partType', maxWidth: 140 }),
  textColumn('versionNote', fields.versionNote, { maxWidth: 280 }),
  timeColumn('createTime', fields.createTime),
]

export default function HwVersionPage() {
  const list = useList(listHwVersions)
  const { equipTypeId, equipModelId } = list.filters
  return (
    <NounPage
      words={hwVersionTexts}
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
      card={({ versionName, versionCode, equipModelName, partTypeName }) => ({
        lead: versionName,
        aside: `${fields.versionCode} ${versionCode}`,
        second: `${equipModelName} · ${partTypeName}`,
      })}
      insert={insertHwVersion}
      form={({ onClose }) => (
        <HwVersionDialog equipType={equipTypeId} equipModelId={equipModelId} onClose={onClose} />
      )}
      remove={{
        endpoint: deleteHwVersion,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ equipModelName, partTypeName, versionCode }) => [
          remove.ask(equipModelName, partTypeName, versionCode),
          remove.warn,
        ],
        stale: [listHwVersions],
      }}
    />
  )
}
