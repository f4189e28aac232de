// The compartments of a cabinet as the device last reported them, with their alarms.
import * as z from 'zod/mini'
import { listDevices } from './devices.ts'
import { endpoint, one } from './endpoint.ts'
import { byId, idOut, seededOut, timeOut } from './fields.ts'

export const mostCompartments = 64

/** `idle`: a battery that neither charges nor is ready to be taken. */
export const compartmentStates = ['empty', 'charging', 'full', 'idle', 'fault', 'disabled'] as const
export type CompartmentState = (typeof compartmentStates)[number]
export const compartmentStateNames: Record<CompartmentState, string> = {
  empty: '空仓',
  charging: '充电中',
  full: '满电',
  idle: '待机',
  fault: '故障',
  disabled: '已停用',
}

const number = z.optional(z.number())

/** What a device reports of one compartment; a field that is missing is unknown. */
export const Compartment = z.object({
  /** From 1. */
  no: z.number(),
  state: z.optional(z.enum(compartmentStates)),
  isDoorOpen: z.optional(z.boolean()),
  isLocked: z.optional(z.boolean()),
  batteryCode: z.optional(z.string()),
  /** % */
  soc: number,
  /** % */
  soh: number,
  /** V */
  voltage: number,
  /** A, positive while charging. */
  current: number,
  /** ℃ */
  temperature: number,
})
export type Compartment = z.output<typeof Compartment>

/** The fields of a compartment that are readings, in the order in which they are shown; with their names and units. */
export const compartmentFields = {
  state: { name: '状态', unit: null },
  isDoorOpen: { name: '柜门打开', unit: null },
  isLocked: { name: '已上锁', unit: null },
  batteryCode: { name: '电池编号', unit: null },
  soc: { name: 'SOC', unit: '%' },
  soh: { name: 'SOH', unit: '%' },
  voltage: { name: '电压', unit: 'V' },
  current: { name: '电流', unit: 'A' },
  temperature: { name: '温度', unit: '℃' },
} as const satisfies Record<string, { name: string; unit: string | null }>
export type CompartmentField = keyof typeof compartmentFields

/** The columns in which a cabinet is drawn whose model does not say. */
export const columnsFor = (count: number): number =>
  count <= 2 ? Math.max(1, count) : count <= 10 ? 2 : count <= 15 ? 3 : count <= 40 ? 4 : 8

const CompartmentAlarm = z.object({
  id: idOut,
  /** The semaphore's code and name. */
  code: z.string(),
  name: seededOut,
  level: z.nullable(z.number()),
  startTime: timeOut,
})

export const CompartmentRow = z.extend(Compartment, {
  /** Active alarms that name this compartment, the most severe first; none for callers who may not list alarms. */
  alarms: z.array(CompartmentAlarm),
  /** Fields whose value is out of the normal band of the catalogue. */
  outside: z.array(z.string()),
  /** Fields whose value is out of the plausible range: no measurement. */
  implausible: z.array(z.string()),
})
export type CompartmentRow = z.output<typeof CompartmentRow>

/** All compartments from 1 to `count`: one that was not reported has its number and its alarms alone. */
export const listCompartments = endpoint({
  method: 'GET',
  path: '/equip/compartment/list/:id',
  access: listDevices.access,
  summary: '设备仓位',
  input: byId,
  reply: one(
    z.object({
      /** When the device last reported its status; null where it never did. */
      reportTime: z.nullable(timeOut),
      /** The columns of the model's arrangement, or `columnsFor` where the model does not say. */
      columns: z.number(),
      /** Of the model, or the highest number that is reported where that is more; 0: no compartments. */
      count: z.number(),
      compartments: z.array(CompartmentRow),
    }),
  ),
})
