// The search of the console: devices and users by a few letters, from any page.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, text } from './fields.ts'

/** How many devices, and how many users, a search answers at most. */
export const foundAtMost = 8

const FoundDevice = z.object({
  id: idOut,
  code: z.string(),
  name: z.nullable(z.string()),
  operatorName: z.string(),
  regionName: z.string(),
  address: z.nullable(z.string()),
  /** Null for a device that was never connected. */
  isOnline: z.nullable(z.literal([0, 1])),
})
export type FoundDevice = z.output<typeof FoundDevice>

const FoundUser = z.object({
  id: idOut,
  userName: z.string(),
  loginName: z.string(),
  organizationName: z.string(),
})
export type FoundUser = z.output<typeof FoundUser>

/**
 * Devices of the caller's scope by parts of code, name and address, the best matching codes first; and users of the
 * caller's organizations by name. Without the function that lists them they are left out.
 */
export const searchConsole = endpoint({
  method: 'GET',
  path: '/search',
  access: 'signedIn',
  summary: '搜索设备和用户',
  input: z.object({ keyword: text('关键字', 200) }),
  reply: one(z.object({ devices: z.array(FoundDevice), users: z.array(FoundUser) })),
})
