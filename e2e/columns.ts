/**
 * The columns that the specification gives a list, by the address of the screen, in its order. Ours may have others
 * besides. At 1440 px.
 */
export const specifiedColumns: Readonly<Record<string, readonly string[]>> = {
  '/maintenance/exitWarning': ['序号', '告警内容', '告警值', '上报时间', '恢复时间', '恢复方式', '操作'],
  '/maintenance/exitWarning?tab=history': [
    '设备编号',
    '告警内容',
    '发生时间',
    '恢复时间',
    '运营商',
    '设备型号',
    '标志',
  ],
  '/maintenance/eventsearch': ['发生时间', '设备编号', '事件名称', '运营商', '设备型号', '标志'],
  '/maintenance/batchsetting': ['序号', '批次号', '创建时间', '参数', '创建人', '操作'],
  '/upgrade/upgradeLog': ['设备编号', '设备类型', '部件', '软件版本', '升级时间', '状态', '操作人'],
}
