// Texts of alarms that come again: not with those of the alarm pages, which are loaded first.
export const repeatTexts = {
  title: '反复发生',
  times: (count: string) => `×${count}`,
  count: '发生次数',
  total: (count: string) => `${count} 次`,
  span: (count: string, first: string, last: string) => `${first} 至 ${last} 共发生 ${count} 次`,
  first: '首次发生',
  last: '最近发生',
  chatter: '抖动',
  chatterOf: { chattering: '1 分钟内发生 3 次以上', flapping: '30 分钟内发生 5 次以上' },
  hint: '恢复后 5 分钟内再次发生，视为同一问题。',
  advice: '若与现场情况不符，请检查传感器与接线；维修前可搁置该告警。',
  all: '全部记录',
  more: (count: string) => `其余 ${count} 次见全部记录`,
}
