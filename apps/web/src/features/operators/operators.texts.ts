import { texts } from '../../lib/texts/index.ts'

export const operatorTexts = {
  measure: '个',
  fields: {
    name: '运营商名称',
    code: '运营商编码',
    organization: '所属组织',
    devices: '设备数',
    createTime: '创建时间',
  },
  choose: '请选择',
  moveHint: '变更后设备随之转移，可见范围立即调整。',
  move: {
    title: '移动运营商',
    ask: (name: string, devices: string, from: string, to: string) =>
      `运营商“${name}”及其 ${devices} 台设备将由“${from}”移到“${to}”，能看到这些设备的人随即改变。`,
    action: '移动',
  },
  empty: '还没有运营商',
  emptyHint: '新增运营商后，即可登记属于它的设备。',
  emptyFiltered: '没有符合条件的运营商',
  add: '新增运营商',
  edit: '编辑',
  editTitle: (name: string) => `编辑运营商 ${name}`,
  unit: (count: string) => `${count} 台`,
  remove: {
    ...texts.removal,
    title: '删除运营商',
    ask: (name: string) => `将删除运营商“${name}”。`,
    warn: '其下还有设备，或用户的数据权限用到它时，不能删除；删除后不能恢复。',
  },
}
