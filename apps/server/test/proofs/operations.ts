import { asItIs, openFirst } from '../../../../e2e/reach.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { ofUsers } from '../scope-models.ts'

export const proofs: NounProofs = {
  references: {
    listOperations: [{ to: 'user by name', input: (named) => ({ user: named.loginName }) }],
    exportOperations: [{ to: 'user by name', input: (named) => ({ user: named.loginName }) }],
  },
  scope: {
    listOperations: {
      model: {
        ...ofUsers,
        // Each user has only signed in: one entry each.
        expected: (world, user) =>
          world.users.filter((other) => world.seesEntriesOf(user, other)).map(({ loginName }) => loginName),
      },
      isFoundAnyway: true,
    },
  },
  screens: [['/system/operation', { 'the operation log': asItIs, 'one operation': openFirst }]],
}
