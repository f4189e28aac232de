// The list of operators in the user's scope.
import {
  deleteOperator,
  insertOperator,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { AddButton, emptyList } from '../../ui/adding.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { OrganizationFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import { OperatorActions } from './OperatorActions.tsx'
import { operatorTexts } from './operators.texts.ts'

const OperatorDialog = lazyDialog(() => import('./OperatorDialog.tsx'))

const { fields } = operatorTexts

export default function OperatorPage() {
  const { title } = usePage()
  const list = useList(searchOperators)
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<OperatorRow>()
  const mayAdd = usePermission(insertOperator.access)

  const devices = ({ id, organizationId, deviceCount }: OperatorRow) => (
    <PageLink page="equipment/list" search={{ organizationId, operatorId: id }} className="tap">
      {operatorTexts.unit(formatCount(deviceCount))}
    </PageLink>
  )
  const columns: Column<OperatorRow>[] = [
    {
      key: 'name',
      title: fields.name,
      maxWidth: 280,
      fixed: 'left',
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    { key: 'code', title: fields.code, maxWidth: 220, render: ({ code }) => <CopyText text={code} /> },
    {
      key: 'organization',
      title: fields.organization,
      maxWidth: 280,
      render: ({ organizationName }) => <span title={organizationName}>{organizationName}</span>,
    },
    { key: 'devices', title: fields.devices, width: 112, align: 'right', render: devices },
    { key: 'createTime', title: fields.createTime, width: 168, render: ({ createTime }) => createTime },
    {
      key: 'operation',
      title: texts.list.operation,
      width: 104,
      codes: [updateOperator.access, deleteOperator.access],
      fixed: 'right',
      render: (operator) => <OperatorActions operator={operator} onEdit={setEdited} />,
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={operatorTexts.measure}
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
        actions={
          <AddButton code={insertOperator.access} onClick={() => setAdding(true)}>
            {operatorTexts.add}
          </AddButton>
        }
        card={(operator) => ({
          lead: operator.name,
          aside: devices(operator),
          second: `${operator.code} · ${operator.organizationName}`,
          action: <OperatorActions operator={operator} onEdit={setEdited} />,
        })}
        empty={emptyList(
          operatorTexts.empty,
          mayAdd && { hint: operatorTexts.emptyHint, onAdd: () => setAdding(true) },
        )}
        emptyFiltered={operatorTexts.emptyFiltered}
      />
      {isAdding && (
        <OperatorDialog organizationId={list.filters.organizationId} onClose={() => setAdding(false)} />
      )}
      {edited && <OperatorDialog key={edited.id} operator={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
