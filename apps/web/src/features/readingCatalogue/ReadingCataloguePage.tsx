// The catalogue of readings: what is known of what the devices of each type measure.
import {
  deleteReadingDefinition,
  insertReadingDefinition,
  listReadingDefinitions,
  type ReadingDefinition,
  updateReadingDefinition,
} from '@voltkeep/contract/readingCatalogue'
import { listReadings } from '@voltkeep/contract/readings'
import { CopyText } from '../../ui/CopyText.tsx'
import { EquipTypeFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { readingCatalogueTexts } from './readingCatalogue.texts.ts'

const ReadingDialog = lazyDialog(() => import('./ReadingDialog.tsx'))

const { fields, remove, ...words } = readingCatalogueTexts

const rangeOf = (min: number | null, max: number | null) =>
  min === null && max === null ? <Nothing /> : words.range(min, max)
const historyOf = ({ keepsHistory, deadband, longestSeconds }: ReadingDefinition) =>
  keepsHistory ? words.thinning(deadband, longestSeconds) : words.notKept

const columns: Column<ReadingDefinition>[] = [
  textColumn('name', fields.name, { fixed: 'left', maxWidth: 200 }),
  textColumn('equipTypeName', fields.equipType, { key: 'equipType', maxWidth: 160 }),
  { key: 'key', title: fields.key, maxWidth: 240, render: ({ key }) => <CopyText text={key} /> },
  textColumn('unit', fields.unit, { width: 72 }),
  textColumn('group', fields.group, { width: 88 }),
  {
    key: 'normal',
    title: fields.normal,
    width: 120,
    render: ({ normalMin, normalMax }) => rangeOf(normalMin, normalMax),
  },
  {
    key: 'plausible',
    title: fields.plausible,
    width: 144,
    render: ({ plausibleMin, plausibleMax }) => rangeOf(plausibleMin, plausibleMax),
  },
  { key: 'history', title: fields.history, render: historyOf },
]

export default function ReadingCataloguePage() {
  const list = useList(listReadingDefinitions)
  return (
    <NounPage
      words={readingCatalogueTexts}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <EquipTypeFilter of={draft} />
          <TextFilter of={draft} name="keyword" label={fields.keyword} />
        </>
      )}
      card={(reading) => ({
        lead: reading.unit === null ? reading.name : `${reading.name}（${reading.unit}）`,
        aside: reading.equipTypeName,
        second: [reading.group, historyOf(reading)].filter(Boolean).join(' · '),
      })}
      insert={insertReadingDefinition}
      update={updateReadingDefinition}
      form={({ row, onClose }) => (
        <ReadingDialog reading={row} equipTypeId={list.filters.equipTypeId} onClose={onClose} />
      )}
      remove={{
        endpoint: deleteReadingDefinition,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ equipTypeName, name }) => [remove.ask(equipTypeName, name), remove.warn],
        stale: [listReadingDefinitions, listReadings],
      }}
    />
  )
}
