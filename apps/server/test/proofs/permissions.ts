import { chooseFirst, inRow, itemOf } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertUser } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { limitedTo, operator, organization, user } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    readPermissions: [user(({ userId }) => ({ userId }))],
    updatePermissions: [
      user((named, own) => ({ userId: named.userId, authorityEntities: limitedTo(own) })),
      operator((named, own) => ({ userId: own.userId, authorityEntities: limitedTo(named) })),
    ],
    deletePermissions: [user(({ userId }) => ({ userId }))],
    previewPermissions: [user(({ userId }) => ({ userId })), organization()],
    explainPermissions: [
      organization((named, own) => ({ organizationId: named.organizationId, code: own.deviceCode })),
      user((named, own) => ({ userId: named.userId, code: own.deviceCode })),
      { to: 'device by code', input: (named, own) => ({ userId: own.userId, code: named.deviceCode }) },
    ],
  },
  versions: {
    async updatePermissions(app) {
      const { id } = await insertUser(app.db)
      return {
        table: 'app_user',
        key: { userId: String(id) },
        change: () => ({ authorityEntities: [{ authorityType: 'R', type: 'R', value: ['440305'] }] }),
      }
    },
  },
  forms: {
    'what a user may see': {
      of: 'users/permissions/PermissionDialog',
      path: '/system/user',
      open: inRow('数据权限', 'shanghai'),
      problems: [],
      complete: (form) => chooseFirst(itemOf(form, '设备类型')),
      sends: 'permission/update',
    },
  },
  additions: {
    previewPermissions: reasons.before,
    explainPermissions: reasons.before,
  },
}
