import { deleteMenu, insertMenu, listMenus, updateMenu } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Menus } from './menus.service.ts'

export function mountMenus(api: Api, menus: Menus): void {
  api.mount(listMenus, () => menus.listMenus())
  api.mount(insertMenu, ({ actor, input }) => menus.insertMenu(actor, input))
  api.mount(updateMenu, ({ actor, input }) => menus.updateMenu(actor, input))
  api.mount(deleteMenu, ({ actor, input }) => menus.deleteMenu(actor, input))
}
