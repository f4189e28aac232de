import { listMenus } from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { Menus } from './menus.service.ts'

export function mountMenus(api: Api, menus: Menus): void {
  api.mount(listMenus, () => menus.listMenus())
}
