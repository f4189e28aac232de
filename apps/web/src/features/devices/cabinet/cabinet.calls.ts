// What the cabinet is drawn from. The types stand here until the contract has the calls.
import { endpoint, one } from '@voltkeep/contract/endpoint'
import { byId, idOut, timeOut } from '@voltkeep/contract/fields'
import * as z from 'zod/mini'

export const compartmentStates = ['empty', 'charging', 'full', 'idle', 'fault', 'disabled'] as const

const Row = z.object({
  no: z.number(),
  state: z.optional(z.enum(compartmentStates)),
  isDoorOpen: z.optional(z.boolean()),
  isLocked: z.optional(z.boolean()),
  batteryCode: z.optional(z.string()),
  soc: z.optional(z.number()),
  soh: z.optional(z.number()),
  voltage: z.optional(z.number()),
  current: z.optional(z.number()),
  temperature: z.optional(z.number()),
  alarms: z.array(
    z.object({
      id: idOut,
      code: z.string(),
      name: z.string(),
      level: z.nullable(z.number()),
      startTime: timeOut,
    }),
  ),
})
export type CompartmentRow = z.output<typeof Row>

const CompartmentList = z.object({
  reportTime: z.nullable(timeOut),
  columns: z.nullable(z.number()),
  count: z.nullable(z.number()),
  compartments: z.array(Row),
})
export type CompartmentList = z.output<typeof CompartmentList>

export const listCompartments = endpoint({
  method: 'GET',
  path: '/equip/compartment/list/:id',
  access: 'equip:list',
  summary: '仓位列表',
  input: byId,
  reply: one(CompartmentList),
})
