// Texts of the alarm pages.
import { texts } from '../../lib/texts/index.ts'

export const alarmTexts = {
  tenThousands: (count: number) => `${Math.floor(count / 1_000) / 10}万`,
  title: '告警',
  measure: '条',
  tabs: { current: '当前告警', shelved: '已搁置', history: '历史告警', shelves: '搁置与维护' },
  fields: {
    ...texts.fields,
    content: '告警内容',
    contentHint: '名称或编码',
    reportDate: '上报日期',
    occurrenceDate: '发生日期',
    level: '级别',
    state: '状态',
    value: '告警值',
    reportTime: '上报时间',
    recoveryTime: '恢复时间',
    recoveryMethod: '恢复方式',
    recoveredBy: '处理人',
    note: '处理说明',
    duration: '持续时间',
    firstValue: '首次值',
  },
  states: { active: '告警中', recovered: '已恢复', all: '全部' },
  content: '告警内容',
  none: '无告警',
  lasting: (duration: string) => `已持续 ${duration}`,
  emptyCurrent: '当前没有告警',
  emptyBeside: '没有其他告警',
  emptyCurrentHint: '有设备上报告警时会自动出现在这里。',
  emptyHistory: '最近 30 天没有告警',
  emptyHistoryHint: '更早的记录可改发生日期后查询。',
  emptyFiltered: '没有符合条件的告警',
  live: {
    waiting: (count: string, critical: string | undefined) =>
      critical === undefined ? `${count} 条新告警` : `${count} 条新告警，紧急 ${critical}`,
    stale: '告警有较多变化，点击刷新列表',
  },
  handle: { state: '处理状态', mine: '我的' },
}
