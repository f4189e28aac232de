import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import {
  deleteOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { Button } from 'antd'
import { usePage } from '../../lib/pages.ts'
import { readingRarely } from '../../lib/wire/reading.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { TreePage } from '../../ui/tree/TreePage.tsx'
import { nodeColumns, useNodeForms } from '../../ui/tree/treeNodes.tsx'
import { wayTo } from '../../ui/tree/treeRows.ts'
import { OrganizationActions } from './OrganizationActions.tsx'
import { OrganizationDetail } from './OrganizationDetail.tsx'
import { organizationTexts } from './organizations.texts.ts'

const OrganizationDialog = lazyDialog(() => import('./OrganizationDialog.tsx'))

const { fields } = organizationTexts

/** The tree of organizations below the user's own, with a detail panel. */
export default function OrganizationPage() {
  const { title } = usePage()
  const query = useQuery({ ...readingRarely(listOrganizations, {}), meta: { isQuiet: true } })
  const row = useOpenRow()
  const forms = useNodeForms<OrganizationNode>()
  const mayAdd = usePermission(insertOrganization.access)

  const columns = nodeColumns<OrganizationNode>({
    code: { title: fields.code, width: 220, of: ({ code }) => code },
    orderTitle: fields.orderNum,
    actions: (organization) => <OrganizationActions organization={organization} {...forms.actions} />,
    codes: [insertOrganization.access, updateOrganization.access, deleteOrganization.access],
  })

  return (
    <>
      <TreePage
        title={title}
        measure={organizationTexts.measure}
        nameTitle={fields.name}
        query={query}
        shape={organizationShape}
        nameOf={({ name }) => name}
        columns={columns}
        second={({ code }) => organizationTexts.codeOf(code)}
        openLevels={3}
        placeholder={organizationTexts.search}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        actions={
          <Permitted code={insertOrganization.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={forms.add}>
              {organizationTexts.add}
            </Button>
          </Permitted>
        }
        empty={{
          title: organizationTexts.empty,
          hint: mayAdd ? organizationTexts.emptyHint : undefined,
          action: mayAdd && <AddFirst onClick={forms.add} />,
        }}
      />
      {row.id && query.data && (
        <OrganizationDetail
          key={row.id}
          way={wayTo(query.data, row.id, organizationShape)}
          onClose={row.close}
          {...forms.actions}
        />
      )}
      {forms.parent !== undefined && <OrganizationDialog parent={forms.parent} onClose={forms.closeAdding} />}
      {forms.edited && (
        <OrganizationDialog key={forms.edited.id} organization={forms.edited} onClose={forms.closeEditing} />
      )}
    </>
  )
}
