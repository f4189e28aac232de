// Equipment types, models and part types that every installation starts with.
import { sql } from 'kysely'
import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** In the order in which pickers show them. */
const partTypes: readonly (readonly [code: string, name: string])[] = [
  ['PART_TYPE_EC_MASTER', '主控'],
  ['PART_TYPE_EC_BIN', '仓控'],
  ['PART_TYPE_EC_CABINET', '柜控'],
  ['PART_TYPE_EC_POWER', '电源模块'],
  ['PART_TYPE_EC_FIRE', '消防'],
  ['PART_TYPE_EC_SYSTEM_CHECK', '系统自检'],
  ['WIFI', 'WIFI模块'],
  ['MPPT', 'MPPT控制器'],
  ['BMS', '电池管理系统'],
  ['SC', '系统控制器'],
  ['ADS', '广告屏'],
]

const cabinetParts = [
  'PART_TYPE_EC_MASTER',
  'PART_TYPE_EC_BIN',
  'PART_TYPE_EC_CABINET',
  'PART_TYPE_EC_POWER',
  'PART_TYPE_EC_FIRE',
  'PART_TYPE_EC_SYSTEM_CHECK',
  'ADS',
]

interface EquipTypeSeed {
  code: string
  name: string
  /** EQUIP_CLASSIFY */
  classify: 'EC' | 'BAT' | 'ESS'
  parts: readonly string[]
  models: readonly (readonly [
    code: string,
    name: string,
    compartments?: readonly [count: number, columns: number],
  ])[]
}

const types: readonly EquipTypeSeed[] = [
  {
    code: 'EC',
    name: '换电柜',
    classify: 'EC',
    parts: cabinetParts,
    models: [
      ['VK-EC08', '8仓换电柜', [8, 2]],
      ['VK-EC12', '12仓换电柜', [12, 3]],
      ['VK-EC16', '16仓换电柜', [16, 4]],
    ],
  },
  {
    code: 'CC',
    name: '充电柜',
    classify: 'EC',
    parts: cabinetParts,
    models: [['VK-CC10', '10仓充电柜', [10, 2]]],
  },
  {
    code: 'BAT',
    name: '电池',
    classify: 'BAT',
    parts: ['BMS'],
    models: [
      ['VK-B4824', '48V24Ah锂电池'],
      ['VK-B6030', '60V30Ah锂电池'],
      ['VK-B7245', '72V45Ah锂电池'],
    ],
  },
  {
    code: 'ESS',
    name: '储能设备',
    classify: 'ESS',
    parts: ['WIFI', 'MPPT', 'BMS', 'SC'],
    models: [
      ['VK-S05', '5kWh户用储能'],
      ['VK-S10', '10kWh户用储能'],
      ['VK-S215', '215kWh工商业储能柜'],
    ],
  },
]

/** Equipment types with the parts they are made of, and our own models of each. */
const firstTypes: Seed = {
  name: 'equip-types',
  async plant(trx) {
    await trx
      .insertInto('part_type')
      .values(partTypes.map(([code, name], index) => ({ code, name, order_num: index + 1 })))
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute()
    await trx
      .insertInto('equip_type')
      .values(
        types.map(({ code, name, classify }, index) => ({
          code,
          name,
          classify,
          order_num: index + 1,
        })),
      )
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute()
    const parts = types.flatMap(({ code: type, parts }) => parts.map((part) => ({ type, part })))
    await sql`
      INSERT INTO equip_type_part (equip_type_id, part_type)
      SELECT t.id, p.part
      FROM jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) AS p(type text, part text)
      JOIN equip_type t ON t.code = p.type
      ON CONFLICT DO NOTHING`.execute(trx)
    const models = types.flatMap(({ code: type, models }) =>
      models.map(([code, name, arrangement]) => ({
        type,
        code,
        name,
        count: arrangement?.[0],
        columns: arrangement?.[1],
      })),
    )
    await sql`
      INSERT INTO equip_model (equip_type_id, code, name, compartment_count, compartment_columns)
      SELECT t.id, m.code, m.name, m.count, m.columns
      FROM jsonb_to_recordset(${JSON.stringify(models)}::jsonb)
        AS m(type text, code text, name text, count int2, columns int2)
      JOIN equip_type t ON t.code = m.type
      ORDER BY t.order_num, m.code
      ON CONFLICT (code) DO NOTHING`.execute(trx)
  },
}

/** Models of before there were parts of models: each gets those of its type. */
const modelParts: Seed = {
  name: 'model-parts',
  after: ['equip-types'],
  async plant(trx) {
    await sql`
      INSERT INTO equip_model_part (equip_model_id, part_type, is_default)
      SELECT m.id, p.part_type, true
      FROM equip_model m JOIN equip_type_part p USING (equip_type_id)
      ORDER BY m.id, p.part_type
      ON CONFLICT (equip_model_id, part_type) DO NOTHING`.execute(trx)
  },
}

export const equipTypeSeeds: readonly Seed[] = [
  firstTypes,
  modelParts,
  menuPage({
    directory: 'reference',
    order: 4,
    name: '设备类型',
    path: 'equipType',
    remark: 'referenceEquipType',
    icon: 'block',
    url: 'reference/equipType',
    functions: {
      'equipType:insert': '新增设备类型',
      'equipType:update': '修改设备类型',
      'equipType:delete': '删除设备类型',
      'model:insert': '新增设备型号',
      'model:update': '修改设备型号',
      'model:delete': '删除设备型号',
      'model:part': '维护型号部件',
      'partType:insert': '新增部件类型',
      'partType:update': '修改部件类型',
      'partType:delete': '删除部件类型',
    },
    partOf: 'administrationMenus',
  }),
]
