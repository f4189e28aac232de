import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'
import { fullNameUnder } from './region-names.ts'

interface RegionSeed {
  code: string
  name: string
  /** Null at the top. */
  parentCode: string | null
  fullName: string
}

/**
 * 全部 covers every region there is and will be: its path is the bare `/`, which every path begins with,
 * so that neither filters nor data permissions need a rule for it. No device is placed at it.
 */
const everywhere = 'all'

/** The options that pickers begin with. */
const topRegions: readonly RegionSeed[] = [
  { code: '86', name: '中国', parentCode: null, fullName: '中国' },
  { code: '01', name: '美国', parentCode: null, fullName: '美国' },
  { code: '49', name: '欧洲', parentCode: null, fullName: '欧洲' },
  { code: everywhere, name: '全部', parentCode: null, fullName: '全部' },
]

/** Parents before their children. */
function worldTree(): RegionSeed[] {
  const byCode = new Map(topRegions.map((region) => [region.code, region]))
  for (const line of readFileSync(new URL('./china-regions.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')) {
    const [code = '', name = ''] = line.split(' ')
    const parent = byCode.get(parentCodeOf(code))
    if (!parent) throw new Error(`china-regions.txt: ${code} comes before its parent`)
    byCode.set(code, { code, name, parentCode: parent.code, fullName: fullNameUnder(parent, name) })
  }
  return [...byCode.values()]
}

/** 440305 -> 440300 -> 440000 -> 86 */
function parentCodeOf(code: string): string {
  if (code.endsWith('0000')) return '86'
  return code.endsWith('00') ? `${code.slice(0, 2)}0000` : `${code.slice(0, 4)}00`
}

/** China down to its districts, and the other tops. Ids are drawn first, since each path names its parents'. */
const worldRegions: Seed = {
  name: 'regions',
  async plant(trx) {
    const seeds = worldTree()
    const { rows: drawn } = await sql<{ id: number }>`
      SELECT nextval(pg_get_serial_sequence('region', 'id'))::int4 AS id
      FROM generate_series(1, ${seeds.length}::int4)`.execute(trx)
    const places = new Map<string, { id: number; path: string }>()
    const rows = seeds.map(({ code, name, parentCode, fullName }, index) => {
      const id = drawn[index]?.id as number
      const parent = parentCode === null ? undefined : places.get(parentCode)
      const path = code === everywhere ? '/' : `${parent?.path ?? '/'}${id}/`
      places.set(code, { id, path })
      return {
        id,
        code,
        parent_id: parent?.id ?? null,
        name,
        path,
        full_name: fullName,
        order_num: index + 1,
      }
    })
    await sql`
      INSERT INTO region (id, code, parent_id, name, path, full_name, order_num)
      SELECT id, code, parent_id, name, path, full_name, order_num
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r(id integer, code text, parent_id integer, name text, path text, full_name text, order_num integer)
    `.execute(trx)
  },
}

export const regionSeeds: readonly Seed[] = [
  worldRegions,
  menuPage({
    directory: 'reference',
    order: 3,
    name: '地区管理',
    path: 'region',
    remark: 'referenceRegion',
    icon: 'environment',
    url: 'reference/region',
    functions: {
      'region:insert': '新增地区',
      'region:update': '修改地区',
      'region:delete': '删除地区',
    },
    partOf: 'administrationMenus',
  }),
]
