// Equipment types, part types, models and their parts.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { mostCompartments } from './compartments.ts'
import { endpoint, listBodyBytes, one } from './endpoint.ts'
import {
  id,
  idOut,
  integer,
  list,
  nothingIn,
  partTypeCode,
  required,
  seededOut,
  text,
  version,
  whenValid,
} from './fields.ts'

/** A code that users choose; forms, files and the operation log show it. */
const code = (label: string) =>
  z
    .string(required(`请输入${label}`))
    .check(
      z.trim(),
      z.minLength(1, `请输入${label}`),
      z.maxLength(32, `${label}长度不能超过32个字符`),
      z.regex(/^[A-Za-z0-9_-]*$/, `${label}只能是字母、数字、下划线和短横线`),
    )

// ── Types ────────────────────────────────────────────────────────────────────────────────────

export const PartType = z.object({ code: z.string(), name: z.string(), version: z.number() })
export type PartType = z.output<typeof PartType>

const EquipModel = z.object({
  id: idOut,
  name: z.string(),
  code: z.string(),
  /** How its compartments stand; null for a model without, or of which nobody has said. */
  compartmentCount: z.nullable(z.number()),
  compartmentColumns: z.nullable(z.number()),
  version: z.number(),
})

export const EquipType = z.object({
  id: idOut,
  name: z.string(),
  code: z.string(),
  /** EQUIP_CLASSIFY: which family of devices the type belongs to. */
  classify: z.string(),
  /** The name in the dictionary. */
  classifyName: z.string(),
  /** Whether there are devices of it, of any organization: then the class cannot be changed. */
  hasDevices: z.boolean(),
  equipModels: z.array(EquipModel),
  partTypes: z.array(z.omit(PartType, { version: true })),
  version: z.number(),
})
export type EquipType = z.output<typeof EquipType>

/** Any signed-in user may read the types: filters and forms offer them. */
export const listEquipTypes = endpoint({
  method: 'POST',
  path: '/equipType/all',
  access: 'signedIn',
  summary: '设备类型及其型号、部件',
  input: nothingIn,
  reply: one(z.array(EquipType)),
})

const equipTypeForm = {
  name: text('设备类型名称', 64),
  code: code('设备类型编码'),
  classify: text('设备类别', 64, '请选择设备类别'),
}
const partTypes = list(partTypeCode(), '部件', 100)

export const insertEquipType = endpoint({
  ...adding,
  path: '/equipType/insert',
  access: 'equipType:insert',
  summary: '新增设备类型',
  bodyLimitBytes: listBodyBytes,
  input: z.object({ ...equipTypeForm, partTypes: z._default(partTypes, []) }),
})

export const updateEquipType = endpoint({
  ...changing,
  path: '/equipType/update',
  access: 'equipType:update',
  summary: '修改设备类型',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    id: id('设备类型'),
    ...equipTypeForm,
    /** Absent: unchanged. Models follow the change, except parts that were edited on the model. */
    partTypes: z.optional(partTypes),
    version,
  }),
})

/** Only for a type without models and without data permissions that name it. */
export const deleteEquipType = endpoint({
  ...deleting,
  path: '/equipType/delete/:id',
  access: 'equipType:delete',
  summary: '删除设备类型',
})

// ── Part types ───────────────────────────────────────────────────────────────────────────────

export const listPartTypes = endpoint({
  method: 'GET',
  path: '/partType/list',
  access: 'signedIn',
  summary: '部件类型',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(PartType)),
})

const partTypeForm = { code: partTypeCode('请输入部件类型编码'), name: text('部件类型名称', 64) }

export const insertPartType = endpoint({
  ...changing,
  path: '/partType/insert',
  access: 'partType:insert',
  summary: '新增部件类型',
  input: z.object(partTypeForm),
  done: '创建成功',
})

/** The code cannot be changed: devices report it. */
export const updatePartType = endpoint({
  ...changing,
  path: '/partType/update',
  access: 'partType:update',
  summary: '修改部件类型',
  input: z.object({ ...partTypeForm, version }),
})

/** Only for a part type that no equipment type and no model uses. */
export const deletePartType = endpoint({
  ...deleting,
  path: '/partType/delete',
  access: 'partType:delete',
  summary: '删除部件类型',
  input: z.object({ code: partTypeCode() }),
})

// ── Models and their parts ───────────────────────────────────────────────────────────────────

export const listModels = endpoint({
  method: ['GET', 'POST'],
  path: '/model/list',
  access: 'signedIn',
  summary: '设备型号',
  input: z.object({ equipTypeId: z.optional(id('设备类型')) }),
  reply: one(z.array(z.extend(EquipModel, { equipTypeId: idOut }))),
})

const modelForm = {
  equipTypeId: id('设备类型'),
  name: text('型号名称', 64),
  code: code('型号编码'),
  /** Absent: none. */
  compartmentCount: z.optional(integer('仓位数', 1, mostCompartments)),
  /** Absent: as many as suit the number. */
  compartmentColumns: z.optional(integer('列数', 1, mostCompartments)),
}

/** Refuses an arrangement that has more columns than compartments. */
const arranged = z.refine<{
  compartmentCount?: number | undefined
  compartmentColumns?: number | undefined
}>(({ compartmentCount = 0, compartmentColumns = 0 }) => compartmentColumns <= compartmentCount, {
  error: '列数不能大于仓位数',
  path: ['compartmentColumns'],
  when: whenValid('compartmentCount', 'compartmentColumns'),
})

/** A new model has the parts of its type. */
export const insertModel = endpoint({
  ...adding,
  path: '/model/insert',
  access: 'model:insert',
  summary: '新增设备型号',
  input: z.object(modelForm).check(arranged),
})

/** The type can be changed only while the model has no devices, because the type decides who may see them. */
export const updateModel = endpoint({
  ...changing,
  path: '/model/update',
  access: 'model:update',
  summary: '修改设备型号',
  input: z.object({ id: id('设备型号'), ...modelForm, version }).check(arranged),
})

export const deleteModel = endpoint({
  ...deleting,
  path: '/model/delete/:id',
  access: 'model:delete',
  summary: '删除设备型号',
})

export const ModelPart = z.object({
  id: idOut,
  equipModelId: idOut,
  partType: z.string(),
  partTypeName: seededOut,
  /** The part's name in this model. */
  name: z.nullable(z.string()),
  remark: z.nullable(z.string()),
  /** How many of these parts there are, each with its own addrId: 12 compartments have 12 controllers. */
  addrCount: z.number(),
  /** The part is inherited from the type and follows it, until it is edited on the model. */
  isDefault: z.boolean(),
  version: z.number(),
})
export type ModelPart = z.output<typeof ModelPart>

export const listModelParts = endpoint({
  method: ['GET', 'POST'],
  path: '/model/part/list',
  access: 'signedIn',
  summary: '型号部件',
  input: z.object({ equipModelId: id('设备型号') }),
  reply: one(z.array(ModelPart)),
})

const modelPartForm = {
  partType: partTypeCode(),
  name: z.optional(text('部件名称', 64)),
  remark: z.optional(text('备注', 200)),
  addrCount: z._default(integer('数量', 1, 999), 1),
}

/** Also edits an inherited part, which then belongs to the model. */
export const insertModelPart = endpoint({
  ...adding,
  path: '/model/add/part',
  access: 'model:part',
  summary: '新增型号部件',
  input: z.object({ equipModelId: id('设备型号'), ...modelPartForm }),
})

export const updateModelPart = endpoint({
  ...changing,
  path: '/model/update/part',
  access: 'model:part',
  summary: '修改型号部件',
  input: z.object({ id: id('型号部件'), ...modelPartForm, version }),
})

/** A write that also works by GET, as the specification requires. */
export const deleteModelPart = endpoint({
  ...deleting,
  method: ['GET', 'POST'],
  path: '/model/part/delete',
  access: 'model:part',
  summary: '删除型号部件',
})
