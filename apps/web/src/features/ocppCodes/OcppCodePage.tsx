// Which alarms the error codes of charging stations are.
import {
  deleteOcppCode,
  insertOcppCode,
  listOcppCodes,
  listUnknownOcppCodes,
  type OcppCodeRow,
  updateOcppCode,
} from '@voltkeep/contract/ocpp'
import { CopyText } from '../../ui/CopyText.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { ocppCodeTexts } from './ocppCodes.texts.ts'
import { Unexplained } from './Unexplained.tsx'

const OcppCodeDialog = lazyDialog(() => import('./OcppCodeDialog.tsx'))

const { fields, remove, ...words } = ocppCodeTexts

const alarmOf = ({ semaphoreName, semaphoreCode }: OcppCodeRow) =>
  semaphoreName === null ? semaphoreCode : `${semaphoreName}（${semaphoreCode}）`

const columns: Column<OcppCodeRow>[] = [
  {
    key: 'code',
    title: fields.code,
    fixed: 'left',
    maxWidth: 240,
    render: ({ code }) => <CopyText text={code} />,
  },
  { key: 'vendor', title: fields.vendor, maxWidth: 200, render: ({ vendor }) => vendor || words.anyVendor },
  { key: 'semaphore', title: fields.semaphore, maxWidth: 260, render: alarmOf },
  {
    key: 'alarmValue',
    title: fields.alarmValue,
    width: 120,
    render: ({ alarmValue }) => alarmValue ?? words.byConnector,
  },
  textColumn('note', fields.note, { maxWidth: 240 }),
  textColumn('updateTime', fields.updateTime, { width: 176 }),
]

export default function OcppCodePage() {
  const list = useList(listOcppCodes)
  return (
    <NounPage
      words={ocppCodeTexts}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      head={<Unexplained />}
      filters={(draft) => (
        <TextFilter of={draft} name="keyword" label={fields.keyword} placeholder={fields.keywordHint} />
      )}
      card={(row) => ({ lead: row.code, aside: row.vendor || words.anyVendor, second: alarmOf(row) })}
      insert={insertOcppCode}
      update={updateOcppCode}
      form={({ row, onClose }) => <OcppCodeDialog {...(row && { row })} onClose={onClose} />}
      remove={{
        endpoint: deleteOcppCode,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ code }) => [remove.ask(code), remove.warn],
        stale: [listOcppCodes, listUnknownOcppCodes],
      }}
    />
  )
}
