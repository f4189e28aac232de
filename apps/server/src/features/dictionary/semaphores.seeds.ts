// Events, parameters and status codes that every installation starts with.
import { sql } from 'kysely'
import type { Seed } from '../../platform/database/seeds.ts'
import { alarmSemaphores } from './alarm-semaphores.ts'

/** The unit is read after the value; an event whose value is a code has none. */
type PlainEntry = readonly [code: string, name: string, note: string, unit?: string]

const eventSemaphores: readonly PlainEntry[] = [
  ['03110001', '设备启动', '上电或复位后的第一条事件，值为复位原因码'],
  ['03110002', '换电开始', '值为取电仓位号', '号仓'],
  ['03110003', '换电完成', '值为取电仓位号', '号仓'],
  ['03110004', '换电失败', '值为失败原因码'],
  ['03110005', '仓门打开', '值为仓位号', '号仓'],
  ['03110006', '仓门关闭', '值为仓位号', '号仓'],
  ['03110007', '电池存入', '值为仓位号', '号仓'],
  ['03110008', '电池取出', '值为仓位号', '号仓'],
  ['03110009', '维护门打开', '值为门号', '号门'],
  ['03110010', '参数已变更', '值为变更的参数个数', '个'],
  ['03110011', '固件升级完成', '值为升级的部件数', '个'],
  ['03110012', '市电恢复', '值为停电分钟数', '分钟'],
  ['03210001', '充电开始', '值为当前SOC', '%'],
  ['03210002', '充电完成', '值为当前SOC', '%'],
  ['03210003', '电池休眠', '值为当前SOC', '%'],
  ['03310001', '并网运行', '值为有功功率（kW）', 'kW'],
  ['03310002', '离网运行', '值为有功功率（kW）', 'kW'],
  ['03310003', '充放电计划切换', '值为计划编号'],
]

/** The ids of batch settings, and of what devices report about themselves. */
const parameters: readonly PlainEntry[] = [
  ['02121001', '门锁反馈信号1', '0常开，1常闭'],
  ['02121002', '门锁反馈信号2', '0常开，1常闭'],
  ['02121003', '门锁反馈信号3', '0常开，1常闭'],
  ['02121004', '门锁反馈信号4', '0常开，1常闭'],
  ['02121005', '仓位满电SOC', '0到100，单位%'],
  ['02121006', '过温点', '单位℃'],
  ['02121007', '灭火器反馈', '0常开，1常闭'],
  ['02121008', '仓位在位反馈', '0常开，1常闭'],
  ['02121009', '指示灯闪烁时长', '单位ms'],
  ['02121010', '指示灯颜色编码', '7个指示灯的灯码依次相连，每位0到8'],
  ['02121011', '平台IP和端口', '格式为ip:port'],
]

/** The dictionary of alarms, events and parameters, with what each alarm's bits and values mean. */
export const semaphores: Seed = {
  name: 'semaphores',
  async plant(trx) {
    const entries = [
      ...alarmSemaphores.map(({ code, name, note, level, analysisType, isFire = false }, index) => ({
        type: 'ALARM',
        code,
        name,
        note,
        alarm_level: level,
        analysis_type: analysisType,
        is_fire: isFire,
        order_num: index + 1,
      })),
      ...plain('EVENT', eventSemaphores),
      ...plain('PARAM', parameters),
    ]
    const { rows: planted } = await sql<{ id: number; type: string; code: string }>`
      INSERT INTO dictionary_entry (type, code, name, note, unit, alarm_level, analysis_type, order_num, is_fire)
      SELECT type, code, name, note, unit, alarm_level, analysis_type, order_num, coalesce(is_fire, false)
      FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        AS e(type text, code text, name text, note text, unit text, alarm_level smallint, analysis_type text,
          order_num integer, is_fire boolean)
      ON CONFLICT (type, code) DO NOTHING
      RETURNING id, type, code`.execute(trx)

    // Only for entries planted just now: the definitions of an entry that was there already belong to its
    // administrator.
    const ids = new Map(planted.filter(({ type }) => type === 'ALARM').map(({ code, id }) => [code, id]))
    const definitions = alarmSemaphores.flatMap(({ code, definitions }) => {
      const entry_id = ids.get(code)
      if (entry_id === undefined) return []
      return Object.entries(definitions).flatMap(([equip_classify, names]) =>
        Object.entries(names).map(([bit_position, name]) => ({
          entry_id,
          equip_classify,
          bit_position,
          name,
        })),
      )
    })
    await sql`
      INSERT INTO semaphore_definition (entry_id, equip_classify, bit_position, name)
      SELECT entry_id, equip_classify, bit_position, name
      FROM jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb)
        AS d(entry_id integer, equip_classify text, bit_position bigint, name text)`.execute(trx)
  },
}

function plain(type: string, entries: readonly PlainEntry[]) {
  return entries.map(([code, name, note, unit], index) => ({
    type,
    code,
    name,
    note,
    unit,
    order_num: index + 1,
  }))
}
