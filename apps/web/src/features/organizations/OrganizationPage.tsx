import { useQuery } from '@tanstack/react-query'
import {
  deleteOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { readingRarely } from '../../lib/wire/reading.ts'
import { organizationShape } from '../../ui/choices/choices.trees.ts'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { NodePage } from '../../ui/tree/NodePage.tsx'
import { OrganizationActions } from './OrganizationActions.tsx'
import { OrganizationDetail } from './OrganizationDetail.tsx'
import { tallyColumns } from './organizations.tallies.tsx'
import { organizationTexts } from './organizations.texts.ts'
import { useOrganizationSums } from './useOrganizationSums.ts'

const OrganizationDialog = lazyDialog(() => import('./OrganizationDialog.tsx'))

/** The tree of organizations below the user's own, with a detail panel. */
export default function OrganizationPage() {
  const query = useQuery({ ...readingRarely(listOrganizations, {}), meta: { isQuiet: true } })
  const row = useOpenRow()
  const { sumsOf, hasUsers } = useOrganizationSums(query.data)
  return (
    <NodePage<OrganizationNode>
      texts={organizationTexts}
      query={query}
      shape={organizationShape}
      nameOf={({ name }) => name}
      code={{ width: 136, of: ({ code }) => code }}
      columns={tallyColumns(sumsOf, hasUsers)}
      sumsOf={({ id }) => sumsOf(id)}
      openLevels={3}
      access={{
        insert: insertOrganization.access,
        update: updateOrganization.access,
        delete: deleteOrganization.access,
      }}
      open={row}
      actions={(organization, forms) => <OrganizationActions organization={organization} {...forms} />}
      detail={(way, forms) => (
        <OrganizationDetail
          key={row.id}
          way={way}
          sums={sumsOf(row.id ?? '')}
          onClose={row.close}
          {...forms}
        />
      )}
      form={(of, onClose) =>
        'node' in of ? (
          <OrganizationDialog key={of.node.id} organization={of.node} onClose={onClose} />
        ) : (
          <OrganizationDialog parent={of.parent} onClose={onClose} />
        )
      }
    />
  )
}
