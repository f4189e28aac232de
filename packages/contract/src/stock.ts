// What cabinets have to give: their compartments by state, of one cabinet, of an operator, of a region.
import * as z from 'zod/mini'
import { exporting } from './commonCalls.ts'
import { deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { idOut, paging, seededOut, timeOut } from './fields.ts'
import { liveRows } from './live.ts'

/** A cabinet with fewer full batteries than this is about to run out, unless somebody asks for another number. */
export const lowStock = 2

export const stockGroupNames = { device: '按柜', operator: '按运营商', region: '按地区' } as const
export type StockGroup = keyof typeof stockGroupNames
const groups = Object.keys(stockGroupNames) as [StockGroup, ...StockGroup[]]

const counts = {
  /** Compartments with a full battery, with one that charges, and with one that does neither. */
  full: z.number(),
  charging: z.number(),
  idle: z.number(),
  empty: z.number(),
  faulty: z.number(),
  disabled: z.number(),
  /** Those that are neither faulty nor disabled. */
  usable: z.number(),
}

export const StockRow = z.object({
  /** Of the device or the operator; of a region its code. */
  id: idOut,
  /** Of a device: its code; else null. */
  code: z.nullable(z.string()),
  /** Of a region with its path. */
  name: z.nullable(z.string()),
  /** Of a device; else null. */
  isOnline: z.nullable(z.literal([0, 1])),
  operatorName: z.nullable(seededOut),
  regionName: z.nullable(seededOut),
  /** When one of the counts of a device last changed. */
  changeTime: z.nullable(timeOut),
  deviceCount: z.number(),
  /** How many of the devices have fewer full batteries than asked for. */
  lowCount: z.number(),
  ...counts,
})
export type StockRow = z.output<typeof StockRow>

const grouped = {
  ...deviceFilters,
  groupBy: z._default(z.enum(groups, { error: '汇总方式无效' }), 'device'),
}

/**
 * Devices that report compartments, those with the fewest full batteries first; or operators or regions, those with the
 * most devices about to run out first. `fullFewerThan` leaves out other devices; of operators and regions it is what
 * `lowCount` goes by.
 */
export const listStock = endpoint({
  method: ['POST', 'GET'],
  path: '/stock/list',
  access: 'stock:list',
  summary: '电池库存',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...paging, ...grouped }),
  reply: page(StockRow),
})

/** Devices whose counts change. */
export const liveStock = liveRows('stock', listStock)

export const exportStock = endpoint({
  ...exporting,
  path: '/stock/export',
  access: 'stock:export',
  summary: '导出电池库存',
  input: z.object(grouped),
})

/** The sum of what the list shows by the same filters, whatever it is grouped by. */
export const readStock = endpoint({
  method: ['POST', 'GET'],
  path: '/stock/sum',
  access: 'stock:list',
  summary: '电池库存合计',
  bodyLimitBytes: listBodyBytes,
  input: z.object(deviceFilters),
  reply: one(z.object({ deviceCount: z.number(), lowCount: z.number(), ...counts })),
})
