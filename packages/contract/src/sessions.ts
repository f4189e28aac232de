import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, page } from './endpoint.ts'
import { id, idOut, paging, seededOut, text, timeOut } from './fields.ts'

// Sessions of all users, for administrators. Sign-in is in session.ts.

export const SessionRow = z.object({
  /** The session's id, from which the token cannot be derived. */
  id: z.string(),
  userId: idOut,
  userName: z.string(),
  loginName: z.string(),
  organizationId: idOut,
  organizationName: seededOut,
  address: z.string(),
  userAgent: z.nullable(z.string()),
  createTime: timeOut,
  seenTime: timeOut,
  expireTime: timeOut,
  /** Whether it is the session of this call. */
  isCurrent: z.boolean(),
  /** Whether the caller may end it: its user must not hold anything that the caller lacks. */
  isManageable: z.boolean(),
})
export type SessionRow = z.output<typeof SessionRow>

export const listSessions = endpoint({
  method: ['POST', 'GET'],
  path: '/session/page',
  access: 'session:page',
  summary: '在线用户',
  input: z.object({
    ...paging,
    /** Part of the user's name or of the login name. */
    name: z.optional(text('姓名', 64)),
    /** The beginning of the address. */
    address: z.optional(text('登录地址', 64)),
    /** Includes the organizations below it. */
    organizationId: z.optional(id('组织')),
  }),
  reply: page(SessionRow),
})

export const endSession = endpoint({
  ...changing,
  path: '/session/end',
  access: 'session:end',
  summary: '强制下线',
  input: z.object({ id: text('会话', 64, '会话不能为空') }),
})
