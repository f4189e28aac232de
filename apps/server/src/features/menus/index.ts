export { mountMenus } from './menus.routes.ts'
export { createMenuService as createMenus, type Menus } from './menus.service.ts'
