// Menus (directories, pages, functions): the tree, its rules, adding, changing, deleting.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { asText, byId, id, idOut, integer, nothingIn, text, version } from './fields.ts'

/** M: directory, C: page, F: function. */
export const menuTypes = ['M', 'C', 'F'] as const
export type MenuType = (typeof menuTypes)[number]

/** A menu in the tree. `parentId` '0' means top level. */
export interface MenuNode {
  id: string
  parentId: string
  name: string
  /** As it is shown, where the name is what a form keeps. */
  shownName?: string | undefined
  type: MenuType
  /** The route's own path segment, or the whole path if it starts with a slash. */
  path: string
  /** The route's name; for type F the function code, e.g. `user:insert`. */
  remark: string
  icon: string | null
  /** Component path; the address for an external link. */
  url: string | null
  orderNum: number
  /** 0 internal, 1 external (which forces the path /iframe). */
  openType: 0 | 1
  /** Whether the function affects all organizations, whatever the user's data scope. */
  isPlatformWide?: boolean | undefined
  children: MenuNode[]
}

const menuShape = {
  id: idOut,
  parentId: idOut,
  name: z.string(),
  shownName: z.optional(z.string()),
  type: z.enum(menuTypes),
  path: z.string(),
  remark: z.string(),
  icon: z.nullable(z.string()),
  url: z.nullable(z.string()),
  orderNum: z.number(),
  openType: z.literal([0, 1]),
  isPlatformWide: z.optional(z.boolean()),
}

export const MenuNodeSchema: z.ZodMiniType<MenuNode, MenuNodeInput> = z.object({
  ...menuShape,
  get children() {
    return z.array(MenuNodeSchema)
  },
}) as unknown as z.ZodMiniType<MenuNode, MenuNodeInput>

interface MenuNodeInput extends Omit<MenuNode, 'id' | 'parentId' | 'children'> {
  id: string | number
  parentId: string | number
  children: MenuNodeInput[]
}

export const MenuTree = z.array(MenuNodeSchema)

/** A menu as administrators see it. */
export interface MenuRecord extends Omit<MenuNode, 'children'> {
  version: number
  /** Roles that have this menu itself, not only one below it. */
  roleCount: number
  children: MenuRecord[]
}

interface MenuRecordInput extends Omit<MenuRecord, 'id' | 'parentId' | 'children'> {
  id: string | number
  parentId: string | number
  children: MenuRecordInput[]
}

const MenuRecordSchema: z.ZodMiniType<MenuRecord, MenuRecordInput> = z.object({
  ...menuShape,
  version: z.number(),
  roleCount: z.number(),
  get children() {
    return z.array(MenuRecordSchema)
  },
}) as unknown as z.ZodMiniType<MenuRecord, MenuRecordInput>

export const listMenus = endpoint({
  method: 'POST',
  path: '/menu/all',
  access: 'menu:list',
  summary: '全部菜单',
  input: nothingIn,
  reply: one(z.array(MenuRecordSchema)),
})

// ------------------------------------------------------------------ rules of a menu's fields

/** The path of every external link. The link opens in a new window; the page at this path lists all links. */
export const externalPath = '/iframe'

/** A menu's full path: its parent's path and its own, or only its own if that starts with a slash. */
export function menuPath(parentPath: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${parentPath}/${path}`
  return `/${whole.split('/').filter(Boolean).join('/')}`
}

/** `/maintenance/exitWarning` and `maintenance/exitWarning` are the same component. */
export function menuComponentKey(url: string | null): string {
  return (url ?? '').trim().replace(/^\/+|(?<!\/)\/+$/g, '')
}

/** Only http and https addresses are allowed, so that a menu cannot run a script. */
export function menuExternalAddress(url: string | null | undefined): string | undefined {
  try {
    const address = new URL((url ?? '').trim())
    return address.protocol === 'https:' || address.protocol === 'http:' ? address.href : undefined
  } catch {
    return undefined
  }
}

const parentId = z.pipe(
  z.transform(asText),
  z.string({ error: '上级菜单无效' }).check(z.regex(/^(0|[1-9]\d{0,17})$/, '上级菜单无效')),
)

const openType = z.pipe(
  z.transform((value: unknown) =>
    value === '0' || value === false ? 0 : value === '1' || value === true ? 1 : value,
  ),
  z.literal([0, 1], {
    error: ({ input }) => (input === undefined ? '请选择打开方式' : '打开方式只能是 0、1'),
  }),
)

const menuForm = {
  /** '0' means top level. Absent: a new menu is put at the top level, an existing one is not moved. */
  parentId: z.optional(parentId),
  name: text('菜单名称', 64),
  type: z.enum(menuTypes, {
    error: ({ input }) => (input === undefined ? '请选择菜单类型' : '菜单类型只能是 M、C、F'),
  }),
  path: text('路由地址', 200),
  remark: text('路由名称', 100),
  icon: z.optional(text('图标', 64).check(z.regex(/^[\w-]*$/, '图标无效'))),
  url: z.optional(text('组件地址', 500)),
  /** Absent: a new menu becomes the last of its siblings. */
  orderNum: z.optional(integer('排序', 0, 999_999)),
  openType,
}

interface MenuFormRules {
  parentId?: string | undefined
  type: MenuType
  path: string
  remark: string
  url?: string | undefined
  openType: 0 | 1
}

/** A rule runs as soon as the fields that it reads are valid, so that an answer reports all problems at once. */
const rule = <Needed extends keyof MenuFormRules>(
  field: string,
  message: string,
  needed: readonly Needed[],
  passes: (menu: Pick<MenuFormRules, Needed>) => boolean,
) =>
  z.refine<MenuFormRules>(passes, {
    error: message,
    path: [field],
    when: ({ value, issues }) =>
      typeof value === 'object' &&
      value !== null &&
      // Issues with the code `custom` belong to other rules.
      !issues.some(({ code, path }) => code !== 'custom' && needed.includes(path?.[0] as Needed)),
  })

/** The rules about a single menu; the server checks those about several. */
const menuRules = [
  rule(
    'type',
    '目录只能位于顶级',
    ['type', 'parentId'],
    (menu) => menu.type !== 'M' || menu.parentId === undefined || menu.parentId === '0',
  ),
  rule(
    'openType',
    '只有页面可以设为外部链接',
    ['openType', 'type'],
    (menu) => menu.openType === 0 || menu.type === 'C',
  ),
  rule(
    'url',
    '请输入以 http:// 或 https:// 开头的链接地址',
    ['openType', 'type', 'url'],
    (menu) => menu.openType === 0 || menu.type !== 'C' || menuExternalAddress(menu.url) !== undefined,
  ),
  rule(
    'url',
    '组件地址只能由字母、数字、-、_、.和/组成',
    ['openType', 'type', 'url'],
    (menu) =>
      menu.openType === 1 || menu.type !== 'C' || menu.url === undefined || /^\/?\w[\w./-]*$/.test(menu.url),
  ),
  rule(
    'path',
    '路由地址只能由字母、数字、-、_、.和/组成',
    ['openType', 'type', 'path'],
    (menu) =>
      menu.openType === 1 ||
      menu.type === 'F' ||
      // A browser resolves . and .. before the router sees the path.
      (/^\/?[\w.-]+(\/[\w.-]+)*\/?$/.test(menu.path) && !/(^|\/)\.{1,2}(\/|$)/.test(menu.path)),
  ),
  rule(
    'remark',
    '功能编码应为“名词:动词”，例如 user:insert',
    ['type', 'remark'],
    (menu) => menu.type !== 'F' || /^[\w-]+(:[\w-]+)+$/.test(menu.remark),
  ),
] as const

export const insertMenu = endpoint({
  ...adding,
  path: '/menu/insert',
  access: 'menu:insert',
  summary: '新增菜单',
  input: z.object(menuForm).check(...menuRules),
})

export const updateMenu = endpoint({
  ...changing,
  path: '/menu/update',
  access: 'menu:update',
  summary: '修改菜单',
  input: z.object({ id: id('菜单'), ...menuForm, version }).check(...menuRules),
})

const functionForm = { ...menuForm, remark: text('功能编码', 100) }
/** The inputs of both calls for a function: the same rules, with the label that `remark` has there. */
export const InsertFunctionForm = z.object(functionForm).check(...menuRules)
export const UpdateFunctionForm = z.object({ id: id('菜单'), ...functionForm, version }).check(...menuRules)

export const deleteMenu = endpoint({
  ...deleting,
  path: '/menu/delete/:id',
  access: 'menu:delete',
  summary: '删除菜单',
  input: z.extend(byId, {
    /** The number of roles that lose it, as the confirmation showed. Refused if the number has changed. */
    roleCount: z.optional(integer('角色数', 0, 1_000_000)),
  }),
})
