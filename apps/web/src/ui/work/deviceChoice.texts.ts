// The choice of devices by conditions or codes.
export const deviceChoiceTexts = {
  way: '选择方式',
  byFilters: '按条件',
  byCodes: '按编号',
  all: '全部设备',
  counting: '正在统计…',
  counted: { filters: '符合条件', codes: '找到', all: '全部设备' },
  devices: '台',
  noFilters: '请设置条件，或选择“全部设备”',
  noCodes: '每行输入一个设备编号',
  unknown: (count: string) => `未找到 ${count} 个编号：`,
  copyUnknown: '复制',
  more: (count: string) => `…另有 ${count} 个`,
}
