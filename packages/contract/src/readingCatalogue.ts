// What is known of the readings of an equipment type: names, units, ranges, and how their history is kept.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { compartmentFields } from './compartments.ts'
import { endpoint, page } from './endpoint.ts'
import { id, idOut, integer, oneOf, paging, seededOut, text, version, whenValid } from './fields.ts'

/** Stands for the number in the key of a compartment's reading: `compartments.*.soc` is that of every compartment. */
const anyCompartment = 'compartments.*.'

/** The key by which the catalogue knows a compartment's reading. */
export const catalogueKey = (key: string): string => key.replace(/^compartments\.\d{1,2}\./, anyCompartment)

export const ReadingDefinition = z.object({
  id: idOut,
  equipTypeId: idOut,
  equipTypeName: seededOut,
  /** The name in `status`, or `compartments.*.<field>`. */
  key: z.string(),
  name: z.string(),
  unit: z.nullable(z.string()),
  /** Decimals that are shown; null: as reported. */
  decimals: z.nullable(z.number()),
  /** A value out of this range is no measurement: it is shown as implausible, and kept nowhere. */
  plausibleMin: z.nullable(z.number()),
  plausibleMax: z.nullable(z.number()),
  /** A value out of this band is marked. */
  normalMin: z.nullable(z.number()),
  normalMax: z.nullable(z.number()),
  group: z.nullable(z.string()),
  keepsHistory: z.boolean(),
  /** A value that differs from the last one kept by no more is not kept again. */
  deadband: z.number(),
  /** A value is kept at least once in so many seconds, however little it changes. */
  longestSeconds: z.number(),
  orderNum: z.number(),
  version: z.number(),
})
export type ReadingDefinition = z.output<typeof ReadingDefinition>

export const listReadingDefinitions = endpoint({
  method: 'POST',
  path: '/equip/reading/catalogue/list',
  access: 'readingCatalogue:list',
  summary: '读数目录',
  input: z.object({
    ...paging,
    equipTypeId: z.optional(id('设备类型')),
    /** Part of the key or of the name. */
    keyword: z.optional(text('关键字', 64)),
    /** One definition, for an open form that reads its row again. */
    id: z.optional(id('读数')),
  }),
  reply: page(ReadingDefinition),
})

/** A number, or its text as a form has it. */
const decimal = (label: string, min: number, max: number) =>
  z.pipe(
    z.transform((value: unknown) =>
      typeof value === 'string' && /^-?\d{1,15}(\.\d{1,9})?$/.test(value.trim()) ? Number(value) : value,
    ),
    z
      .number({ error: `${label}应为数字` })
      .check(z.minimum(min, `${label}不能小于 ${min}`), z.maximum(max, `${label}不能大于 ${max}`)),
  )
const most = 1_000_000_000
const bound = (label: string) => z.optional(decimal(label, -most, most))

const definitionForm = {
  equipTypeId: id('设备类型', '请选择设备类型'),
  key: text('读数键', 64).check(
    z.refine(
      (key) =>
        !key.startsWith('compartments.') ||
        (key.startsWith(anyCompartment) &&
          Object.hasOwn(compartmentFields, key.slice(anyCompartment.length))),
      '仓位读数的键应为 compartments.*. 加字段名，如 compartments.*.soc',
    ),
  ),
  name: text('名称', 64),
  unit: z.optional(text('单位', 16)),
  decimals: z.optional(integer('小数位数', 0, 6)),
  plausibleMin: bound('可信下限'),
  plausibleMax: bound('可信上限'),
  normalMin: bound('正常下限'),
  normalMax: bound('正常上限'),
  group: z.optional(text('分组', 32)),
  keepsHistory: z._default(oneOf('保存历史', [0, 1]), 1),
  deadband: z._default(decimal('死区', 0, most), 0),
  longestSeconds: z._default(integer('最长间隔', 1, 86_400), 900),
  orderNum: z._default(integer('排序', 0, 9_999), 0),
}

type Bound = 'plausibleMin' | 'plausibleMax' | 'normalMin' | 'normalMax'

/** Refuses bounds in the wrong order. */
const inOrder = (lower: Bound, upper: Bound, error: string) =>
  z.refine<{ [Name in Bound]?: number | undefined }>(
    ({ [lower]: min = -most, [upper]: max = most }) => min <= max,
    { error, path: [upper], when: whenValid(lower, upper) },
  )
const bounds = [
  inOrder('plausibleMin', 'plausibleMax', '可信上限不能小于可信下限'),
  inOrder('normalMin', 'normalMax', '正常上限不能小于正常下限'),
] as const

export const insertReadingDefinition = endpoint({
  ...adding,
  path: '/equip/reading/catalogue/insert',
  access: 'readingCatalogue:insert',
  summary: '新增读数',
  input: z.object(definitionForm).check(...bounds),
})

/** Fields that are left out are cleared. */
export const updateReadingDefinition = endpoint({
  ...changing,
  path: '/equip/reading/catalogue/update/:id',
  access: 'readingCatalogue:update',
  summary: '修改读数',
  input: z.object({ id: id('读数'), ...definitionForm, version }).check(...bounds),
})

/** What devices report under the key is shown and kept as it comes from then on. */
export const deleteReadingDefinition = endpoint({
  ...deleting,
  path: '/equip/reading/catalogue/delete/:id',
  access: 'readingCatalogue:delete',
  summary: '删除读数',
})
