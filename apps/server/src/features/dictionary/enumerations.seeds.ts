// The enumerations that every installation starts with.
import { alarmCauseType } from '@voltkeep/contract'
import type { Seed } from '../../platform/database/seeds.ts'

/** Type -> code -> Chinese name, in the order in which they are offered. */
const enumerationSeeds: Record<string, readonly (readonly [code: string, name: string])[]> = {
  EQUIP_CLASSIFY: [
    ['EC', '换电柜'],
    ['BAT', '电池'],
    ['ESS', '储能设备'],
  ],
  SEMAPHORE_TYPE: [
    ['ALARM', '告警'],
    ['EVENT', '事件'],
    ['PARAM', '参数'],
    ['STATUS', '状态'],
  ],
  ALARM_ANALYSIS_TYPE: [
    ['BIT', '按位'],
    ['VALUE', '按值'],
  ],
  ALARM_LEVEL: [
    ['1', '紧急'],
    ['2', '重要'],
    ['3', '次要'],
    ['4', '提示'],
  ],
  UPGRADE_STATUS: [
    ['0', '未开始'],
    ['1', '进行中'],
    ['2', '已完成'],
  ],
  USER_TYPE: [
    ['1', '平台用户'],
    ['2', '厂商用户'],
    ['3', '运营商用户'],
  ],
  BUSINESS_STATUS: [
    ['1', '已激活'],
    ['2', '未交付'],
    ['3', '调试中'],
  ],
  ONLINE_STATUS: [
    ['1', '在线'],
    ['0', '离线'],
  ],
  LAMP_CODE: [
    ['0', '熄灭'],
    ['1', '红灯常亮'],
    ['2', '绿灯常亮'],
    ['3', '蓝灯常亮'],
    ['4', '黄灯常亮'],
    ['5', '红灯闪烁'],
    ['6', '绿灯闪烁'],
    ['7', '蓝灯闪烁'],
    ['8', '黄灯闪烁'],
  ],
  DOOR_FEEDBACK: [
    ['0', '常开'],
    ['1', '常闭'],
  ],
}

/** Why an alarm came, for those who close it. Installations change them as they like. */
const causes: readonly (readonly [code: string, name: string])[] = [
  ['equipment', '设备硬件故障'],
  ['battery', '电池故障'],
  ['power', '市电异常'],
  ['network', '网络或通信中断'],
  ['software', '软件或固件问题'],
  ['settings', '参数设置不当'],
  ['environment', '环境原因（高温、进水等）'],
  ['damage', '人为损坏'],
  ['maintenance', '维护或施工'],
  ['falseAlarm', '误报'],
  ['recovered', '自行恢复，原因不明'],
  ['other', '其他'],
]

export const alarmCauses: Seed = {
  name: 'alarmCauses',
  async plant(trx) {
    await trx
      .insertInto('dictionary_entry')
      .values(
        causes.map(([code, name], index) => ({ type: alarmCauseType, code, name, order_num: index + 1 })),
      )
      .onConflict((conflict) => conflict.columns(['type', 'code']).doNothing())
      .execute()
  },
}

export const enumerations: Seed = {
  name: 'enumerations',
  async plant(trx) {
    const rows = Object.entries(enumerationSeeds).flatMap(([type, entries]) =>
      entries.map(([code, name], index) => ({ type, code, name, order_num: index + 1 })),
    )
    await trx
      .insertInto('dictionary_entry')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['type', 'code']).doNothing())
      .execute()
  },
}
