import {
  deleteOperator,
  insertOperator,
  listOperators,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { formatCount } from '../../lib/format.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { OrganizationFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { NounPage } from '../../ui/list/NounPage.tsx'
import { textColumn, timeColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { operatorTexts } from './operators.texts.ts'

const OperatorDialog = lazyDialog(() => import('./OperatorDialog.tsx'))

const { fields, remove } = operatorTexts

const devices = ({ id, organizationId, deviceCount }: OperatorRow) => (
  <PageLink page="equipment/list" search={{ organizationId, operatorId: id }} className="tap">
    {operatorTexts.unit(formatCount(deviceCount))}
  </PageLink>
)
const columns: Column<OperatorRow>[] = [
  textColumn('name', fields.name, { maxWidth: 280, fixed: 'left' }),
  { key: 'code', title: fields.code, maxWidth: 220, render: ({ code }) => <CopyText text={code} /> },
  textColumn('organizationName', fields.organization, { key: 'organization', maxWidth: 280 }),
  { key: 'devices', title: fields.devices, width: 112, align: 'right', render: devices },
  timeColumn('createTime', fields.createTime),
]

/** The list of operators in the user's scope. */
export default function OperatorPage() {
  const list = useList(searchOperators)
  return (
    <NounPage
      words={operatorTexts}
      list={list}
      columns={columns}
      keyOf={({ id }) => id}
      filters={(draft) => (
        <>
          <TextFilter of={draft} name="name" label={fields.name} />
          <TextFilter of={draft} name="code" label={fields.code} />
          <OrganizationFilter of={draft} label={fields.organization} />
        </>
      )}
      card={(operator) => ({
        lead: operator.name,
        aside: devices(operator),
        second: `${operator.code} · ${operator.organizationName}`,
      })}
      insert={insertOperator}
      update={updateOperator}
      form={({ row, onClose }) => (
        <OperatorDialog operator={row} organizationId={list.filters.organizationId} onClose={onClose} />
      )}
      remove={{
        endpoint: deleteOperator,
        input: ({ id }) => ({ id }),
        words: remove,
        asks: ({ name }) => [remove.ask(name), remove.warn],
        stale: [searchOperators, listOperators],
      }}
    />
  )
}
