import type { Page } from 'playwright-core'
import { patiently } from '../../../../e2e/patiently.ts'
import { asItIs, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared } from '../references.ts'

const chooseIcon = async (page: Page) => {
  await pressFirst('新增菜单')(page)
  await page.getByRole('dialog').getByRole('button', { name: '选择图标' }).click()
  await page.getByRole('group', { name: '图标' }).waitFor(patiently)
}

export const proofs: NounProofs = {
  references: {
    listMenus: shared,
    insertMenu: shared,
    updateMenu: shared,
    deleteMenu: shared,
  },
  versions: {
    async updateMenu(app) {
      const { id } = await app.db
        .insertInto('menu')
        .values({ name: '目录', type: 'M', path: '/versions', remark: 'versions' })
        .returning('id')
        .executeTakeFirstOrThrow()
      const form = { type: 'M', path: '/versions', remark: 'versions', openType: 0 }
      return { table: 'menu', key: { id: String(id) }, change: () => ({ ...form, name: fresh('改名') }) }
    },
  },
  screens: [
    [
      '/system/menu',
      {
        menus: asItIs,
        'one menu': openFirst,
        'the form of a menu': pressFirst('新增菜单'),
        'the choice of an icon': chooseIcon,
      },
    ],
  ],
  forms: {
    'a new menu': {
      of: 'menus/MenuDialog',
      path: '/system/menu',
      open: press('新增菜单'),
      problems: ['请输入菜单名称', '请输入路由地址', '请输入路由名称'],
      sends: 'menu/insert',
    },
  },
}
