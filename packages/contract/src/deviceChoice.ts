import * as z from 'zod/mini'
import { DeviceCode, deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { list } from './fields.ts'

/** A choice with more codes is refused; a choice by filters may have any size. */
export const chosenCodesLimit = 5_000

const { code: _code, ids: _ids, ...filters } = deviceFilters

/**
 * The devices that a batch, an upgrade or an advertisement is for: all that match the filters (without filters, all
 * of them), or those with these codes. Exactly one of the two is given. A choice never reaches devices outside the
 * caller's data scope.
 */
export const DeviceChoice = z
  .object({
    filters: z.optional(z.object(filters)),
    codes: z.optional(list(DeviceCode, '设备编号', chosenCodesLimit)),
  })
  .check(
    z.refine(
      (choice) =>
        (choice.filters === undefined) !== (choice.codes === undefined || choice.codes.length === 0),
      { error: '请按条件或按编号选择设备', path: ['filters'] },
    ),
  )
export type DeviceChoice = z.output<typeof DeviceChoice>

/** A choice as another user reads it: only the codes in that user's data scope, possibly none. */
export const DeviceChoiceSeen = z.object({
  filters: z.optional(z.object(filters)),
  codes: z.optional(z.array(z.string())),
})

/**
 * The number of devices that a choice matches now. `unknownCodes`: codes of the choice without a device in the scope.
 */
export const countChosenDevices = endpoint({
  method: 'POST',
  path: '/equip/choice/count',
  // One function per form that chooses devices.
  access: ['batchSet:insert', 'upgrade:insert', 'upgrade:update', 'ad:create'],
  summary: '统计选择的设备',
  bodyLimitBytes: listBodyBytes,
  input: DeviceChoice,
  reply: one(z.object({ count: z.number(), unknownCodes: z.array(z.string()) })),
})
