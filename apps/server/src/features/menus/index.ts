import { feature } from '../../platform/feature.ts'
import { roles } from '../roles/index.ts'
import { mountMenus } from './menus.routes.ts'
import { menuSeeds } from './menus.seeds.ts'
import { createMenus } from './menus.service.ts'

export { shownMenuName } from './menu-names.ts'
export type { Menus } from './menus.service.ts'

export const menus = feature({
  name: 'menus',
  tables: ['menu'],
  seeds: menuSeeds,
  create({ db, use }) {
    const service = createMenus({ db, roles: use(roles) })
    return { service, mount: (api) => mountMenus(api, service) }
  },
})
