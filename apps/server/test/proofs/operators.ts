import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertOperator } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { type Belongings, fresh, operator, organization } from '../references.ts'
import { ownTree } from '../scope-models.ts'

const operatorForm = (of: Belongings) => ({
  name: '改名',
  code: fresh('OPR'),
  organizationId: of.organizationId,
})

export const proofs: NounProofs = {
  references: {
    listOperators: [organization(({ organizationId }) => ({ organId: organizationId }))],
    searchOperators: [organization(), operator(({ operatorId }) => ({ ids: [operatorId] }))],
    insertOperator: [organization((named) => operatorForm(named))],
    updateOperator: [
      operator((named, own) => ({ ...operatorForm(own), id: named.operatorId })),
      organization((named, own) => ({ ...operatorForm(named), id: own.operatorId })),
    ],
    deleteOperator: [operator(({ operatorId }) => ({ id: operatorId }))],
  },
  scope: {
    searchOperators: {
      model: {
        nameOf: (row) => String(row.id),
        expected(world, user) {
          const tree = ownTree(world, user)
          const granted = user.authorities.filter(([type]) => type === 'O').map(([, value]) => value)
          return world.operators
            .filter(({ organizationId }) => !tree || tree.has(organizationId))
            .filter(({ id }) => user.isSystem || granted.length === 0 || granted.includes(String(id)))
            .map(({ id }) => String(id))
        },
        // The seeds include an operator that the model does not have.
        isKnown: (world, id) => world.operators.some((one) => String(one.id) === id),
        isNarrowed: false,
      },
    },
  },
  versions: {
    async updateOperator(app) {
      const id = String(await insertOperator(app.db))
      const change = () => ({ name: fresh('改名'), code: fresh('OPV'), organizationId: '1' })
      return { table: 'operator', key: { id }, change }
    },
  },
  screens: [
    ['/reference/operator', { operators: asItIs, 'the form of an operator': pressFirst('新增运营商') }],
  ],
  forms: {
    'a new operator': {
      of: 'operators/OperatorDialog',
      path: '/reference/operator',
      open: press('新增运营商'),
      problems: ['请输入运营商名称', '请输入运营商编码', '请选择所属组织'],
      sends: 'operator/insert',
    },
  },
  additions: {
    searchOperators: reasons.kept,
  },
}
