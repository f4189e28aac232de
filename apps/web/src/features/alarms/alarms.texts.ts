// Texts of the alarm pages.
import { texts } from '../../lib/texts/index.ts'

export const alarmTexts = {
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
  recovery: {
    running: (done: string, total: string) => `正在恢复 ${done} / ${total}`,
    done: (count: string, passed: string | undefined) =>
      passed === undefined ? `已恢复 ${count} 条` : `已恢复 ${count} 条，另有 ${passed} 条此前已恢复`,
  },
  watch: {
    one: '新的紧急告警',
    many: (count: string) => `${count} 条新的紧急告警`,
    open: '查看',
    title: (count: number, name: string) =>
      count > 1 ? `紧急告警 ${count} 条：${name} 等` : `紧急告警：${name}`,
    settings: {
      hint: '浏览其他页面或窗口在后台时，有新的紧急告警则提醒。',
      sound: '声音',
      desktop: '桌面通知',
      denied: '浏览器未允许桌面通知，请在网站设置中允许',
      insecure: '桌面通知和后台提醒需以 HTTPS 访问。',
    },
  },
}
