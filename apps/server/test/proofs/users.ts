// What is proved of users by the tests that run over all nouns (noun-proofs.ts).
import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import {
  asItIs,
  choicesOf,
  chooseFirst,
  clear,
  inRow,
  itemOf,
  press,
  pressFirst,
} from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import { insertRole, insertUser } from '../factories.ts'
import type { NounProofs, Update } from '../noun-proofs.ts'
import {
  type Belongings,
  fresh,
  limitedTo,
  operator,
  organization,
  ownOnly,
  unnamed,
  user,
} from '../references.ts'
import { ofUsers } from '../scope-models.ts'

const userForm = (of: Belongings) => ({
  userName: '改名',
  phone: '13800138000',
  roleIds: [of.roleId],
  type: '1',
  organizationId: of.organizationId,
})
/** On a phone a user's actions are in a menu. */
const pressFirstUser = (name: string) => async (page: Page) => {
  const menu = page.getByRole('button', { name: /的操作$/ }).first()
  const button = page.getByRole('button', { name }).first()
  await menu.or(button).first().waitFor(patiently)
  if (await menu.isVisible()) {
    await menu.click()
    await page.getByRole('menuitem', { name }).click()
  } else await button.click()
  await page.getByRole('dialog').waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listPhoneUsers: unnamed,
    listUsers: [organization(), user(({ userId }) => ({ ids: [userId] }))],
    insertUser: [
      organization((named) => ({ ...userForm(named), loginName: fresh('new'), password: 'Abc-12345' })),
      operator((named, own) => ({
        ...userForm(own),
        loginName: fresh('new'),
        password: 'Abc-12345',
        authorityEntities: limitedTo(named),
      })),
    ],
    updateUser: [
      user((named, own) => ({ ...userForm(own), id: named.userId })),
      organization((named, own) => ({ ...userForm(named), id: own.userId })),
    ],
    updateUserOfBody: [
      user((named, own) => ({ ...userForm(own), id: named.userId })),
      organization((named, own) => ({ ...userForm(named), id: own.userId })),
    ],
    resetUserPassword: [user()],
    grantSystem: [user()],
    revokeSystem: [user()],
    deleteUser: [user()],
    deleteUserByUpdate: [user()],
    saveLanguage: ownOnly,
  },
  scope: {
    listUsers: { model: ofUsers, isFoundAnyway: true },
  },
  versions: {
    updateUser: userUpdate,
    updateUserOfBody: userUpdate,
    grantSystem: 'adds one role, whatever else the user has',
    revokeSystem: 'takes one role away, whatever else the user has',
    resetUserPassword: 'sets a random password; nothing that a form has read is overwritten',
  },
  screens: [
    [
      '/system/user',
      {
        users: asItIs,
        'the form of a user': pressFirst('新增用户'),
        'the choice of an organization': choicesOf(pressFirst('新增用户'), '所属组织'),
        "a user's data permissions": pressFirstUser('数据权限'),
      },
    ],
  ],
  forms: {
    'a new user': {
      of: 'users/form/AddUserDialog',
      path: '/system/user',
      open: press('新增用户'),
      problems: [
        ...['请输入姓名', '请输入登录名', '请输入正确的手机号', '请选择用户类型', '请选择角色'],
        '设备类型、运营商、地区至少选1个',
      ],
      typed: { 登录名: 'zhangsan', 手机号: '13800000000' },
      complete: (form) => chooseFirst(itemOf(form, '设备类型')),
      sends: 'user/insert',
    },
    'a user': {
      of: 'users/form/EditUserDialog',
      path: '/system/user',
      open: inRow('编辑', 'shanghai'),
      spoil: clear('姓名', '手机号'),
      problems: ['请输入姓名', '请输入正确的手机号'],
      typed: { 手机号: '13800000000' },
      sends: 'user/update/*',
    },
  },
  additions: {
    saveLanguage: reasons.ownChoice,
    resetUserPassword: reasons.security,
    grantSystem: reasons.security,
    revokeSystem: reasons.security,
  },
}

async function userUpdate(app: TestApp): Promise<Update> {
  const { id } = await insertUser(app.db)
  const roleId = await insertRole(app.db)
  return {
    table: 'app_user',
    key: { id: String(id) },
    change: () => ({ userName: fresh('改名'), phone: '13800138000', roleIds: [String(roleId)], type: '1' }),
  }
}
