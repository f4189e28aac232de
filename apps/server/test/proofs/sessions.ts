import { asItIs, whenOpen } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { organization, ownOnly } from '../references.ts'
import { ofUsers } from '../scope-models.ts'

export const proofs: NounProofs = {
  references: {
    login: 'of nobody yet',
    logout: ownOnly,
    readCurrentUser: ownOnly,
    readJurisdiction: ownOnly,
    changePassword: ownOnly,
    listSessions: [organization()],
    endSession: [{ to: 'session', input: (named) => ({ id: named.sessionId }) }],
  },
  scope: {
    listSessions: {
      model: {
        ...ofUsers,
        // Only users who have signed in; the first administrator has not.
        expected: (world, user, narrowing) =>
          ofUsers.expected(world, user, narrowing).filter((name) => name !== 'admin'),
      },
      isFoundAnyway: true,
    },
  },
  versions: {
    login: 'adds a session',
    logout: 'ends the session of the call',
    changePassword: 'names the old password, which is compared',
    endSession: 'ends a session; a second time it is refused as not found',
  },
  screens: [['/system/session', { 'online users': asItIs }]],
  forms: {
    'a password': {
      of: 'session/ChangePasswordDialog',
      path: '/dashboard',
      open: async (page) => {
        await page.getByRole('button', { name: /^账号/ }).click()
        await page.getByRole('menuitem', { name: '修改密码' }).click()
        await whenOpen(page)
      },
      problems: ['请输入原密码', '请输入新密码', '请再次输入新密码'],
      typed: { 原密码: 'abcdef1', 新密码: 'abcDEF12', 确认新密码: 'abcDEF12' },
      sends: 'user/update/password',
    },
  },
  additions: {
    listSessions: reasons.security,
    endSession: reasons.security,
  },
}
