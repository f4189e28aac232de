// How writes choose the devices that they are for: by conditions, by codes, or all of them.
import * as z from 'zod/mini'
import { DeviceCode, deviceFilters } from './devices.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import { codesOfInput, oneOf } from './fields.ts'
import { hasCondition, noEmptyCondition, unknownNarrowing } from './narrowing.ts'

/** A choice with more codes is refused; a choice by filters may have any size. */
export const chosenCodesLimit = 5_000

const { code: _code, ids: _ids, ...filters } = deviceFilters

/** The ways to choose devices. A choice never reaches devices outside the caller's data scope. */
const ways = {
  /** All that match; at least one condition, and none of an unknown name. */
  filters: z.optional(
    z.strictObject(filters, { error: unknownNarrowing('筛选条件应为对象') }).check(noEmptyCondition),
  ),
  /** Those with these codes, cleaned as those of a lookup (`codesIn`); at least one. */
  codes: z.optional(
    z.pipe(
      z.transform(codesOfInput),
      z
        .array(DeviceCode)
        .check(
          z.minLength(1, '请输入设备编号'),
          z.maxLength(chosenCodesLimit, `设备编号最多 ${chosenCodesLimit} 项`),
        ),
    ),
  ),
  /** 1: all of them, which is never meant by leaving the others empty. */
  isAll: z.optional(oneOf('全部设备', [0, 1])),
}
const choiceError = { error: unknownNarrowing('请选择设备') }

interface Ways {
  filters?: object | undefined
  codes?: readonly string[] | undefined
  isAll?: 0 | 1 | undefined
}
const ofFilters = (error: string) => ({ error, path: ['filters'] })
const isNarrowed = ({ filters, codes }: Ways) => hasCondition(filters) || codes !== undefined

const saysWhich = z.refine<Ways>(
  (choice) => choice.isAll === 1 || isNarrowed(choice),
  ofFilters('请设置筛选条件、输入设备编号，或选择全部设备'),
)
const allIsAlone = z.refine<Ways>(
  (choice) => choice.isAll !== 1 || !isNarrowed(choice),
  ofFilters('选择全部设备时不能再有条件或编号'),
)

/** The devices that an upgrade or an advertisement is for: exactly one of the ways. */
export const DeviceChoice = z.strictObject(ways, choiceError).check(
  saysWhich,
  allIsAlone,
  z.refine<Ways>(
    (choice) => choice.codes === undefined || !hasCondition(choice.filters),
    ofFilters('按条件和按编号只能选一种'),
  ),
)
export type DeviceChoice = z.output<typeof DeviceChoice>

/** What a client that sends the whole filter of its list sends beside the conditions. */
const ofTheList = ['pageNum', 'pageSize', 'sortBy', 'sortOrder']

/**
 * The devices of a batch: by filters, by codes, or by both, which are the devices with these codes that match the
 * filters; or all. The filters may also be next to `code` instead of nested, as the specification sends device filters.
 */
export const BatchDevices = z.pipe(
  z.transform((value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { filters: nested, codes, code, isAll, ...rest } = value as Record<string, unknown>
    const flat = Object.fromEntries(Object.entries(rest).filter(([name]) => !ofTheList.includes(name)))
    const given = isPlain(nested) ? { ...nested, ...flat } : (nested ?? flat)
    return {
      ...(!(isPlain(given) && Object.keys(given).length === 0) && { filters: given }),
      ...((codes ?? code) !== undefined && { codes: codes ?? code }),
      ...(isAll !== undefined && { isAll }),
    }
  }),
  z.strictObject(ways, choiceError).check(saysWhich, allIsAlone),
)
export type BatchDevices = z.output<typeof BatchDevices>

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A choice as another user reads it: only the codes in that user's data scope, possibly none. */
export const DeviceChoiceSeen = z.object({
  filters: z.optional(z.object(filters)),
  codes: z.optional(z.array(z.string())),
  isAll: z.optional(z.literal([0, 1])),
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
