// Texts of an alarm's detail and its decoding: not with those of the alarm pages, which are loaded first.
export const detailTexts = {
  device: '设备',
  decoded: '告警内容',
  past: '该设备同类告警',
  pastAll: '全部记录',
  pastNone: '最近 30 天没有其他记录。',
  recovery: '恢复与处理',
  late: '延迟上报',
  lateHint: '设备补报的较早数据，不改变当前状态。',
  notFound: '告警不存在，或不在您的数据权限内',
  timeline: '前后记录',
  timelineHint: '该设备前后一天内的告警与事件',
  timelineNone: '前后一天内没有其他告警和事件。',
  timelineThis: '本告警',
  event: '事件',
}

export const decodeTexts = {
  title: (name: string) => `告警内容：${name}`,
  columns: {
    code: '编码',
    equipClassify: '设备类别',
    name: '名称',
    type: '类型',
    typeName: '类型名称',
    bitPosition: '位',
    wholeValue: '值',
  },
  bit: (position: number) => `bit ${position}`,
  whole: (value: number) => `值 ${value}`,
  empty: '字典中没有此告警值的说明',
  emptyHint: '可在字典管理中补充该信号的定义。',
  ofFirst: '按首次告警值解析',
}
