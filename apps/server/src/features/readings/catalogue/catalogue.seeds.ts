// The readings that every installation knows: those of cabinets, of batteries that report on their own, and of storage.
import { sql } from 'kysely'
import { menuPage } from '../../../domain/access/menu-seeds.ts'
import type { Seed } from '../../../platform/database/seeds.ts'

interface ReadingSeed {
  key: string
  /** By default the key. */
  name?: string
  unit?: string
  decimals?: number
  plausible?: readonly [least: number, most: number]
  normal?: readonly [least: number | null, most: number | null]
  deadband?: number
  /** Texts have none. */
  hasHistory?: false
}

type Group = readonly [name: string, readings: readonly ReadingSeed[]]

const cabinet: readonly Group[] = [
  [
    '环境',
    [
      { key: '柜内温度', unit: '℃', decimals: 1, plausible: [-50, 150], normal: [-10, 50], deadband: 0.3 },
      { key: '柜内湿度', unit: '%', decimals: 0, plausible: [0, 100], normal: [10, 90], deadband: 1 },
      { key: '烟感报警' },
      { key: '水浸报警' },
      { key: '风扇转速', unit: 'rpm', decimals: 0, plausible: [0, 30_000], deadband: 50 },
    ],
  ],
  [
    '供电',
    [
      { key: '市电正常' },
      { key: '市电电压', unit: 'V', decimals: 1, plausible: [0, 600], normal: [187, 253], deadband: 1 },
      { key: '输入电流', unit: 'A', decimals: 1, plausible: [0, 1_000], deadband: 0.5 },
      { key: '输入功率', unit: 'W', decimals: 0, plausible: [0, 200_000], deadband: 20 },
      { key: '累计电量', unit: 'kWh', decimals: 1, plausible: [0, 100_000_000], deadband: 0.1 },
    ],
  ],
  [
    '电池',
    [
      { key: '在位电池数', unit: '块', decimals: 0, plausible: [0, 64] },
      { key: '充电中电池数', unit: '块', decimals: 0, plausible: [0, 64] },
      { key: '可换电池数', unit: '块', decimals: 0, plausible: [0, 64] },
    ],
  ],
  [
    '通信',
    [{ key: '信号强度', unit: 'dBm', decimals: 0, plausible: [-150, 0], normal: [-105, null], deadband: 3 }],
  ],
  [
    '仓位',
    [
      { key: 'compartments.*.state', name: '状态', hasHistory: false },
      { key: 'compartments.*.batteryCode', name: '电池编号', hasHistory: false },
      { key: 'compartments.*.soc', name: 'SOC', unit: '%', decimals: 0, plausible: [0, 100] },
      {
        key: 'compartments.*.soh',
        name: 'SOH',
        unit: '%',
        decimals: 0,
        plausible: [0, 100],
        normal: [70, null],
      },
      {
        key: 'compartments.*.voltage',
        name: '电压',
        unit: 'V',
        decimals: 1,
        plausible: [0, 150],
        deadband: 0.1,
      },
      {
        key: 'compartments.*.current',
        name: '电流',
        unit: 'A',
        decimals: 1,
        plausible: [-300, 300],
        deadband: 0.2,
      },
      {
        key: 'compartments.*.temperature',
        name: '温度',
        unit: '℃',
        decimals: 1,
        plausible: [-50, 150],
        normal: [-10, 55],
        deadband: 0.3,
      },
      { key: 'compartments.*.isDoorOpen', name: '柜门打开' },
      { key: 'compartments.*.isLocked', name: '已上锁' },
    ],
  ],
]

const battery: readonly Group[] = [
  [
    '电量',
    [
      { key: 'SOC', unit: '%', decimals: 1, plausible: [0, 100], normal: [10, null] },
      { key: 'SOH', unit: '%', decimals: 0, plausible: [0, 100], normal: [70, null] },
      { key: '循环次数', unit: '次', decimals: 0, plausible: [0, 100_000] },
      { key: '充电中' },
    ],
  ],
  [
    '电气',
    [
      { key: '总电压', unit: 'V', decimals: 1, plausible: [0, 150], deadband: 0.1 },
      { key: '电流', unit: 'A', decimals: 1, plausible: [-300, 300], deadband: 0.5 },
      { key: '电芯压差', unit: 'mV', decimals: 0, plausible: [0, 5_000], normal: [null, 100], deadband: 2 },
    ],
  ],
  [
    '温度',
    [
      {
        key: '最高电芯温度',
        unit: '℃',
        decimals: 1,
        plausible: [-50, 150],
        normal: [-20, 60],
        deadband: 0.3,
      },
      {
        key: '最低电芯温度',
        unit: '℃',
        decimals: 1,
        plausible: [-50, 150],
        normal: [-20, 60],
        deadband: 0.3,
      },
    ],
  ],
]

const storage: readonly Group[] = [
  [
    '电量',
    [
      { key: 'SOC', unit: '%', decimals: 1, plausible: [0, 100], normal: [10, null] },
      { key: 'SOH', unit: '%', decimals: 0, plausible: [0, 100], normal: [70, null] },
      { key: '运行模式', hasHistory: false },
    ],
  ],
  [
    '功率',
    [
      { key: '电池功率', unit: 'kW', decimals: 2, plausible: [-5_000, 5_000], deadband: 0.05 },
      { key: '光伏功率', unit: 'kW', decimals: 2, plausible: [0, 5_000], deadband: 0.05 },
      { key: '负载功率', unit: 'kW', decimals: 2, plausible: [0, 5_000], deadband: 0.05 },
      { key: '电网功率', unit: 'kW', decimals: 2, plausible: [-5_000, 5_000], deadband: 0.05 },
    ],
  ],
  [
    '电网',
    [
      { key: '并网' },
      { key: '电网电压', unit: 'V', decimals: 1, plausible: [0, 1_000], deadband: 1 },
      { key: '电网频率', unit: 'Hz', decimals: 2, plausible: [0, 70], deadband: 0.02 },
    ],
  ],
  [
    '环境',
    [
      { key: '电池舱温度', unit: '℃', decimals: 1, plausible: [-50, 150], normal: [0, 45], deadband: 0.3 },
      { key: '电池舱湿度', unit: '%', decimals: 0, plausible: [0, 100], normal: [5, 85], deadband: 1 },
    ],
  ],
]

const byClassify: Readonly<Record<string, readonly Group[]>> = { EC: cabinet, BAT: battery, ESS: storage }

/** Every equipment type that there is gets the readings of its class. */
const firstReadings: Seed = {
  name: 'readings.catalogue',
  after: ['equip-types'],
  async plant(trx) {
    const rows = Object.entries(byClassify).flatMap(([classify, groups]) =>
      groups
        .flatMap(([group, readings]) => readings.map((reading) => ({ group, ...reading })))
        .map(({ key, name = key, plausible, normal, hasHistory = true, deadband = 0, ...rest }, index) => ({
          classify,
          key,
          name,
          ...rest,
          plausible_min: plausible?.[0],
          plausible_max: plausible?.[1],
          normal_min: normal?.[0],
          normal_max: normal?.[1],
          keeps_history: hasHistory,
          deadband,
          order_num: (index + 1) * 10,
        })),
    )
    await sql`
      INSERT INTO reading_definition (equip_type_id, key, name, unit, decimals, plausible_min, plausible_max,
        normal_min, normal_max, group_name, keeps_history, deadband, order_num)
      SELECT t.id, r.key, r.name, r.unit, r.decimals, r.plausible_min, r.plausible_max, r.normal_min, r.normal_max,
        r."group", r.keeps_history, r.deadband, r.order_num
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
        classify text, key text, name text, unit text, decimals int2, plausible_min float8, plausible_max float8,
        normal_min float8, normal_max float8, "group" text, keeps_history bool, deadband float8, order_num int4)
      JOIN equip_type t ON t.classify = r.classify
      ORDER BY t.order_num, t.id, r.order_num
      ON CONFLICT (equip_type_id, key) DO NOTHING`.execute(trx)
  },
}

export const catalogueSeeds: readonly Seed[] = [
  firstReadings,
  menuPage({
    directory: 'reference',
    order: 5,
    name: '读数目录',
    path: 'readingCatalogue',
    remark: 'readingCatalogue',
    icon: 'bar-chart',
    url: 'reference/readingCatalogue',
    functions: {
      'readingCatalogue:list': '查看读数目录',
      'readingCatalogue:insert': '新增读数',
      'readingCatalogue:update': '修改读数',
      'readingCatalogue:delete': '删除读数',
    },
  }),
]
