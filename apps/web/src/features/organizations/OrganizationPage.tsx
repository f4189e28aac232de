import { PlusOutlined } from '@ant-design/icons'
import { insertOrganization, type OrganizationNode } from '@voltkeep/contract/organizations'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { useOrganizations } from '../../ui/choices/choices.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { TreePage } from '../../ui/tree/TreePage.tsx'
import { wayTo } from '../../ui/tree/treeRows.ts'
import { useOpenRow } from '../../ui/useOpenRow.ts'
import { OrganizationActions } from './OrganizationActions.tsx'
import { OrganizationDetail } from './OrganizationDetail.tsx'
import { organizationTexts } from './organizations.texts.ts'

const OrganizationDialog = lazy(() => import('./OrganizationDialog.tsx'))

const { fields } = organizationTexts

/** The tree of organizations from the reader's own down; one of them beside it. */
export default function OrganizationPage() {
  const { title } = usePage()
  const query = useOrganizations()
  const row = useOpenRow()
  const [edited, setEdited] = useState<OrganizationNode>()
  const [parent, setParent] = useState<OrganizationNode | null>()
  const actions = { onAddBelow: setParent, onEdit: setEdited }

  const columns: Column<OrganizationNode>[] = [
    { key: 'code', title: fields.code, width: 220, render: ({ code }) => <CopyText text={code} /> },
    {
      key: 'orderNum',
      title: fields.orderNum,
      width: 88,
      align: 'right',
      render: ({ orderNum }) => orderNum,
    },
    {
      key: 'operation',
      title: texts.list.operation,
      width: 216,
      fixed: 'right',
      render: (organization) => <OrganizationActions organization={organization} {...actions} />,
    },
  ]

  return (
    <>
      <TreePage
        title={title}
        nameTitle={fields.name}
        query={query}
        shape={organizationShape}
        nameOf={({ name }) => name}
        columns={columns}
        second={({ code }) => code}
        openLevels={3}
        placeholder={organizationTexts.search}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        actions={
          <Permitted code={insertOrganization.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setParent(null)}>
              {organizationTexts.add}
            </Button>
          </Permitted>
        }
        empty={{ title: organizationTexts.empty, hint: organizationTexts.emptyHint }}
      />
      {row.id && query.data && (
        <OrganizationDetail
          key={row.id}
          way={wayTo(query.data, row.id, organizationShape)}
          onClose={row.close}
          {...actions}
        />
      )}
      <Suspense>
        {parent !== undefined && <OrganizationDialog parent={parent} onClose={() => setParent(undefined)} />}
        {edited && (
          <OrganizationDialog key={edited.id} organization={edited} onClose={() => setEdited(undefined)} />
        )}
      </Suspense>
    </>
  )
}
