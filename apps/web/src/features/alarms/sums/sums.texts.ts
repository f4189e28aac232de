// Texts of what a list of past alarms adds up to.
export const sumTexts = {
  show: '统计',
  total: (count: string) => `共 ${count} 条`,
  mean: (duration: string) => `平均持续 ${duration}`,
  meanOf: '只算已恢复的告警',
  noMean: '条数较多，不计平均持续时间',
  chart: { day: '每天发生的告警', week: '每周发生的告警', month: '每月发生的告警' },
  most: (when: string, count: string) => `最多 ${when}，${count} 条`,
  bar: (when: string, count: string, levels: string) =>
    levels ? `${when}：${count} 条（${levels}）` : `${when}：${count} 条`,
  level: (name: string, count: string) => `${name} ${count}`,
  and: '，',
  range: (first: string, last: string) => `${first} 至 ${last}`,
  open: '点按查看',
}
