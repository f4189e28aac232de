import { texts } from '../../lib/texts/index.ts'

export const hwVersionTexts = {
  measure: '个',
  fields: {
    equipType: '设备类型',
    equipModel: '设备型号',
    partType: '部件',
    versionName: '版本名称',
    versionNameHint: '名称或版本号',
    versionCode: '版本号',
    versionNote: '版本说明',
    createTime: '创建时间',
  },
  choose: '请选择',
  typeFirst: '请先选择设备类型',
  modelFirst: '请先选择设备型号',
  noParts: '该型号还没有部件',
  add: '新增硬件版本',
  empty: '还没有硬件版本',
  emptyHint: '为型号的部件登记硬件版本，升级包按它区分。',
  emptyFiltered: '没有符合条件的硬件版本',
  remove: {
    ...texts.removal,
    title: '删除硬件版本',
    ask: (model: string, part: string, code: string) => `将删除${model}（${part}）的硬件版本 ${code}。`,
    warn: '删除后不能恢复。',
  },
}
