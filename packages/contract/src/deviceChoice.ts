import * as z from 'zod/mini'
import { DeviceCode, deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { list } from './fields.ts'

/** A choice by more codes is refused; by filters it may be of any size. */
export const chosenCodesLimit = 5_000

const { code: _code, ids: _ids, ...filters } = deviceFilters

/**
 * Which devices a batch, an upgrade or a publication is for: all that pass the filters (with none, all of
 * them), or those with these codes. Exactly one of the two is given. Whatever is chosen, it reaches only
 * devices in the caller's data scope.
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

/** A choice as other users read it: only the codes in the reader's data scope, which may be none. */
export const DeviceChoiceSeen = z.object({
  filters: z.optional(z.object(filters)),
  codes: z.optional(z.array(z.string())),
})

/** How many devices a choice finds now. `unknownCodes`: those of its codes that name no device in the scope. */
export const countChosenDevices = endpoint({
  method: 'POST',
  path: '/equip/choice/count',
  // The forms that choose devices.
  access: ['batchSet:insert', 'upgrade:insert', 'upgrade:update', 'ad:create'],
  summary: '统计选择的设备',
  bodyLimitBytes: listBodyBytes,
  input: DeviceChoice,
  reply: one(z.object({ count: z.number(), unknownCodes: z.array(z.string()) })),
})
