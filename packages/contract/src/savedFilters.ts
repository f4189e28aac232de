// Saved filters of a list: private, or shared with all users of the organization who can open the list.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, one } from './endpoint.ts'
import { id, idOut, oneOf, text, version } from './fields.ts'

/** The maximum number per user and list. */
export const savedFiltersAtMost = 50

const filterName = text('名称', 30)
/** The list's path. */
const listPath = text('列表', 100).check(z.regex(/^(?:\/[A-Za-z][A-Za-z0-9]*){1,6}$/, '列表无效'))

/** The fields of the list's input as in the page's address: texts, with lists comma-joined. */
const values = z
  .record(z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9]{0,39}$/)), z.string().check(z.maxLength(4_000)), {
    error: '筛选条件无效',
  })
  .check(z.refine((given) => Object.keys(given).length <= 40, '筛选条件过多'))

export const SavedFilter = z.object({
  id: idOut,
  name: z.string(),
  values: z.record(z.string(), z.string()),
  isShared: z.boolean(),
  /** Whether it is the caller's own: only these can be renamed and deleted. */
  isOwn: z.boolean(),
  ownerName: z.string(),
  version: z.number(),
})
export type SavedFilter = z.output<typeof SavedFilter>

export const listSavedFilters = endpoint({
  method: 'GET',
  path: '/savedFilter/list',
  access: 'signedIn',
  summary: '常用筛选列表',
  input: z.object({ list: listPath }),
  reply: one(z.array(SavedFilter)),
})

export const insertSavedFilter = endpoint({
  ...adding,
  path: '/savedFilter/insert',
  access: 'signedIn',
  summary: '新增常用筛选',
  bodyLimitBytes: 32 * 1024,
  input: z.object({
    list: listPath,
    name: filterName,
    values,
    isShared: z._default(oneOf('共享', [0, 1]), 0),
  }),
})

/** Renames, shares or unshares. */
export const updateSavedFilter = endpoint({
  ...changing,
  path: '/savedFilter/update/:id',
  access: 'signedIn',
  summary: '修改常用筛选',
  input: z.object({
    id: id('常用筛选'),
    name: z.optional(filterName),
    isShared: z.optional(oneOf('共享', [0, 1])),
    version,
  }),
})

export const deleteSavedFilter = endpoint({
  ...deleting,
  path: '/savedFilter/delete/:id',
  access: 'signedIn',
  summary: '删除常用筛选',
})
