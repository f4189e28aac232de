/**
 * The columns that the specification requires of a list at 1440 px, in its order, by the screen's address. The
 * console may have more.
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
  '/upgrade/version': ['设备编号', '运营商', '设备类型', '软件版本', '最近上报'],
  '/upgrade/upgradeLog': ['设备编号', '设备类型', '部件', '软件版本', '升级时间', '状态', '操作人'],
}

/** The filters that the specification requires of a list, by the screen's address. The console may have more. */
export const specifiedFilters: Readonly<Record<string, readonly string[]>> = {
  '/maintenance/exitWarning': ['厂商', '运营商', '设备型号', '告警内容', '开始日期', '结束日期'],
  '/maintenance/exitWarning?tab=history': ['厂商', '运营商', '设备型号', '告警内容', '开始日期', '结束日期'],
  '/maintenance/eventsearch': ['开始日期', '结束日期'],
  '/maintenance/batchsetting': ['开始日期', '结束日期'],
  '/system/user': ['姓名', '手机号', '角色'],
  '/system/role': ['角色名称'],
  '/system/dictionary': ['编码', '名称', '类型'],
  '/upgrade/upgradeTask': ['设备类型', '部件', '软件版本'],
  '/upgrade/softwareVersion': ['设备类型', '部件', '软件版本'],
  '/upgrade/firmware': ['设备类型', '部件', '软件版本'],
  '/maintenance/advertise': ['广告名称'],
}
