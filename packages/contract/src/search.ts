// The search of the console: devices and users, by a few characters, from any page.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, text } from './fields.ts'

/** The maximum number of devices, and of users, in an answer. */
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
 * Devices in the caller's scope by parts of code, name and address, the best matches first; and users of the caller's
 * organizations by name. Each is left out if the caller may not list them.
 */
export const searchConsole = endpoint({
  method: 'GET',
  path: '/search',
  access: 'signedIn',
  summary: '搜索设备和用户',
  input: z.object({ keyword: text('关键字', 200) }),
  reply: one(z.object({ devices: z.array(FoundDevice), users: z.array(FoundUser) })),
})
