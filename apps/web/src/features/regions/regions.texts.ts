import { texts } from '../../lib/texts/index.ts'

export const regionTexts = {
  measure: '个',
  fields: {
    name: '地区名称',
    code: '地区编码',
    parent: '上级地区',
    orderNum: '排序',
  },
  top: '无（作为顶级地区）',
  codeRule: '1 到 12 位字母或数字，保存后不能修改。',
  orderHint: '数字小的排在前面；留空则排在最后。',
  moveHint: '移动后，其下所有地区、设备和历史数据随之归入新的上级。',
  move: {
    title: '移动地区',
    top: '顶级',
    ask: (name: string, from: string, to: string, below: string) =>
      `地区“${name}”将由“${from}”移到“${to}”，其下 ${below} 个地区以及设备和历史数据随之移动。`,
    action: '移动',
  },
  moveOnlySystem: '只有系统用户可以移动地区。',
  codeOf: (code: string) => `编码 ${code}`,
  search: '搜索地区名称或编码',
  empty: '还没有地区',
  emptyHint: '新增地区后，即可为设备选择所在地。',
  add: '新增地区',
  addBelow: '新增下级',
  addBelowTitle: (name: string) => `在“${name}”下新增地区`,
  edit: '编辑',
  editTitle: (name: string) => `编辑地区 ${name}`,
  builtIn: '代表所有地区，不能修改',
  remove: {
    ...texts.removal,
    title: '删除地区',
    ask: (name: string, code: string) => `将删除地区“${name}”（${code}）。`,
    warn: '其下还有地区或设备，或用户的数据权限用到它时，不能删除；删除后不能恢复。',
  },
  detail: {
    info: '基本信息',
    related: '相关数据',
    children: '下级地区',
    none: '无',
    notFound: '地区不存在',
  },
  /** With those of the regions below it. */
  tallies: {
    below: '下级地区',
    devices: { title: '设备', measure: '台' },
    online: { title: '在线设备', measure: '台' },
    alarms: { title: '当前告警', measure: '条' },
    shelved: { title: '搁置告警', measure: '条' },
  },
}
