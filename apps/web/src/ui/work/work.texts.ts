export const workTexts = {
  counting: '正在统计…',
  leftOutFile: '导出清单',
  allStates: '全部状态',
  stale: '列表有更新',
  /** The specification's text for a status that the console does not know. */
  unknownState: '状态未知',
}
