import { texts } from '../../lib/texts/index.ts'

export const organizationTexts = {
  measure: '个',
  fields: {
    name: '组织名称',
    code: '组织编码',
    parent: '上级组织',
    orderNum: '排序',
  },
  top: '（无上级，作为顶级组织）',
  orderHint: '数字小的排在前面。',
  moveHint: '移动后，其用户、运营商和设备随之归入新的上级。',
  move: {
    title: '移动组织',
    top: '顶级',
    ask: (name: string, from: string, to: string, below: string) =>
      `组织“${name}”将由“${from}”移到“${to}”，其下 ${below} 个组织以及用户、运营商和设备随之移动，能看到它们的人随即改变。`,
    action: '移动',
  },
  ownHint: '自己所属组织的上级不能修改。',
  codeOf: (code: string) => `编码 ${code}`,
  search: '搜索组织名称或编码',
  empty: '还没有组织',
  emptyHint: '新增组织后，即可在其下建立运营商和用户。',
  add: '新增组织',
  addBelow: '新增下级',
  addBelowTitle: (name: string) => `在“${name}”下新增组织`,
  edit: '编辑',
  editTitle: (name: string) => `编辑组织 ${name}`,
  remove: {
    ...texts.removal,
    title: '删除组织',
    ask: (name: string) => `将删除组织“${name}”。`,
    warn: '其下还有组织、运营商或用户时不能删除；删除后不能恢复。',
  },
  detail: {
    info: '基本信息',
    related: '相关数据',
    children: '下级组织',
    none: '无',
    notFound: '组织不存在，或不在您的组织范围内',
  },
  /** With those of the organizations under it. */
  tallies: {
    operators: { title: '运营商', measure: '个' },
    users: { title: '用户', measure: '人' },
    devices: { title: '设备', measure: '台' },
    online: { title: '在线设备', measure: '台' },
    alarms: { title: '当前告警', measure: '条' },
    shelved: { title: '搁置告警', measure: '条' },
  },
}
