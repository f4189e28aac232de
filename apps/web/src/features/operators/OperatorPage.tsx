// The list of operators.
import { PlusOutlined } from '@ant-design/icons'
import {
  deleteOperator,
  insertOperator,
  type OperatorRow,
  searchOperators,
  updateOperator,
} from '@voltkeep/contract/operators'
import { Button } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { OrganizationFilter } from '../../ui/choices/filters.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { OperatorActions } from './OperatorActions.tsx'
import { operatorTexts } from './operators.texts.ts'

const OperatorDialog = lazyDialog(() => import('./OperatorDialog.tsx'))

const { fields } = operatorTexts

/** The list of operators in the user's scope. */
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
          <Permitted code={insertOperator.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
              {operatorTexts.add}
            </Button>
          </Permitted>
        }
        card={(operator) => ({
          lead: operator.name,
          aside: devices(operator),
          second: `${operator.code} · ${operator.organizationName}`,
          action: <OperatorActions operator={operator} onEdit={setEdited} />,
        })}
        empty={{
          title: operatorTexts.empty,
          hint: mayAdd ? operatorTexts.emptyHint : undefined,
          action: mayAdd && <AddFirst onClick={() => setAdding(true)} />,
        }}
        emptyFiltered={operatorTexts.emptyFiltered}
      />
      {isAdding && (
        <OperatorDialog organizationId={list.filters.organizationId} onClose={() => setAdding(false)} />
      )}
      {edited && <OperatorDialog key={edited.id} operator={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}
