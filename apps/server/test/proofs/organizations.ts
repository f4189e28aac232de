import { asItIs, openFirst, press, pressFirst, pressInDetail } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertOrganization } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, organization, unnamed } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listOrganizations: unnamed,
    countOrganizations: unnamed,
    insertOrganization: [
      organization((named) => ({ parentId: named.organizationId, name: '新组织', code: fresh('ORGN') })),
    ],
    updateOrganization: [
      organization((named) => ({ id: named.organizationId, name: '改名', code: fresh('ORGN') })),
    ],
    deleteOrganization: [organization(({ organizationId }) => ({ id: organizationId }))],
  },
  versions: {
    async updateOrganization(app) {
      const id = String(await insertOrganization(app.db))
      return {
        table: 'organization',
        key: { id },
        change: () => ({ name: fresh('改名'), code: fresh('ORGV') }),
      }
    },
  },
  screens: [
    [
      '/reference/organization',
      {
        organizations: asItIs,
        'one organization': openFirst,
        'the question before a deletion': pressInDetail('删除'),
        'the form of an organization': pressFirst('新增组织'),
      },
    ],
  ],
  forms: {
    'a new organization': {
      of: 'organizations/OrganizationDialog',
      path: '/reference/organization',
      open: press('新增组织'),
      problems: ['请输入组织名称', '请输入组织编码'],
      sends: 'organization/insert',
    },
  },
  additions: { countOrganizations: reasons.kept },
}
