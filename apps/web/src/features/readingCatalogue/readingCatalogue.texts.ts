import { texts } from '../../lib/texts/index.ts'

export const readingCatalogueTexts = {
  measure: '个',
  fields: {
    equipType: '设备类型',
    keyword: '键或名称',
    key: '读数键',
    name: '名称',
    unit: '单位',
    decimals: '小数位数',
    group: '分组',
    plausible: '可信范围',
    plausibleMin: '可信下限',
    plausibleMax: '可信上限',
    normal: '正常范围',
    normalMin: '正常下限',
    normalMax: '正常上限',
    history: '历史',
    keepsHistory: '保存历史',
    deadband: '死区',
    longestSeconds: '最长间隔（秒）',
    orderNum: '排序',
  },
  choose: '请选择',
  keyHint: '设备上报 status 时用的名称；仓位读数写作 compartments.*.soc。',
  decimalsHint: '留空则按上报的显示。',
  plausibleHint: '超出可信范围的值会标明不可信，不保存历史。',
  normalHint: '超出正常范围的值会标出，不产生告警。',
  deadbandHint: '与上次保存的值相差不超过死区的不再保存。',
  longestHint: '变化再小，至少隔这么久保存一次。',
  range: (least: number | null, most: number | null) =>
    least === null ? `≤ ${most}` : most === null ? `≥ ${least}` : `${least} 至 ${most}`,
  thinning: (deadband: number, seconds: number) =>
    deadband > 0 ? `变化超过 ${deadband} 或每 ${duration(seconds)}` : `有变化或每 ${duration(seconds)}`,
  notKept: '不保存',
  add: '新增读数',
  edit: '编辑',
  editTitle: (name: string) => `编辑读数 ${name}`,
  empty: '还没有读数',
  emptyHint: '目录中没有的读数照样显示和保存；登记后有单位、范围和分组。',
  emptyFiltered: '没有符合条件的读数',
  remove: {
    ...texts.removal,
    title: '删除读数',
    ask: (type: string, name: string) => `将从${type}的目录删除读数 ${name}。`,
    warn: '设备上报的值此后按原样显示和保存，已有历史不受影响。',
  },
}

function duration(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} 小时`
  return seconds % 60 === 0 ? `${seconds / 60} 分钟` : `${seconds} 秒`
}
