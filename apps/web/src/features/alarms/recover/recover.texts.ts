/** Of the recovery by a user; not with those of the alarm pages, which are loaded first. */
export const recoverTexts = {
  action: '恢复',
  title: '手动恢复告警',
  go: '恢复告警',
  notePlaceholder: '如：已到现场更换仓位锁',
  ask: (device: string, alarm: string) => `将设备 ${device} 的“${alarm}”标记为手动恢复。`,
  warn: '仅更新平台状态，不操作设备；设备再次上报时会产生新的告警。',
  done: '告警已恢复',
  isOver: (time: string | null, how: string | null) =>
    `该告警已于 ${time ?? ''} ${how ?? '恢复'}，无需处理。`,
  chosen: (count: string) => `恢复所选 ${count} 条`,
  all: (count: string) => `恢复全部 ${count} 条`,
  allLimit: (limit: string) => `一次最多恢复 ${limit} 条，请先缩小筛选范围`,
  manyTitle: (count: string) => `恢复 ${count} 条告警`,
  goMany: (count: string) => `恢复 ${count} 条`,
  askMany: (count: string) => `将所选 ${count} 条告警标记为手动恢复。`,
  askAll: (count: string) => `将符合当前筛选条件的全部 ${count} 条告警标记为手动恢复。`,
  begun: '已开始恢复',
  progress: (done: string, total: string) => `正在恢复 ${done} / ${total}`,
  finished: (count: string, passed: string | undefined) =>
    passed === undefined ? `已恢复 ${count} 条` : `已恢复 ${count} 条，另有 ${passed} 条此前已恢复`,
}
