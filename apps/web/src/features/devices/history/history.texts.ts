// The Chinese texts of the page of curves.
export const historyTexts = {
  title: '历史曲线',
  choose: '选择读数',
  chosen: (count: number, most: number) => `已选 ${count} 项，最多 ${most} 项`,
  own: '设备读数',
  bins: '仓位读数',
  bin: (no: number) => `${no}号仓`,
  none: '还没有保存历史的读数',
  noneHint: '设备上报数值型读数后即开始保存。',
}
