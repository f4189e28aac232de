import { texts } from '../../lib/texts/index.ts'

export const boardTexts = {
  measure: '块',
  fields: {
    pcbCode: '板卡编号',
    pcbName: '板卡名称',
    keyword: '板卡',
    keywordHint: '编号或名称',
    applyTo: '适用于',
    equipType: '设备类型',
    equipModels: '设备型号',
    partType: '部件',
    createTime: '创建时间',
  },
  choose: '请选择',
  typeFirst: '请先选择设备类型',
  allModels: '全部型号',
  codeHint: '固件文件名以它开头，设备上报时也用它。',
  add: '新增板卡',
  edit: '编辑',
  editTitle: '编辑板卡',
  empty: '还没有板卡',
  emptyHint: '登记板卡后，才能上传它的固件。',
  emptyFiltered: '没有符合条件的板卡',
  remove: {
    ...texts.removal,
    title: '删除板卡',
    ask: (code: string, name: string) => `将删除板卡 ${code}（${name}）。`,
    warn: '删除后不能再上传它的固件。',
  },
}
