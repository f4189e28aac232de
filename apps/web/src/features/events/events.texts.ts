export const eventTexts = {
  title: '事件查询',
  measure: '条',
  fields: {
    name: '事件名称',
    nameHint: '名称或编码',
    range: '发生时间',
    value: '值',
    data: '附加数据',
  },
  /** A value and a unit that are read as one word, `4号仓`; null where the unit follows a number. */
  oneWord: (value: string, unit: string): string | null => (unit.startsWith('号') ? `${value}${unit}` : null),
  view: '查看',
  noData: '设备没有附加数据。',
  detail: {
    title: '事件信息',
    notFound: '事件不存在，或不在您的数据权限内',
  },
  empty: '最近 30 天没有事件',
  emptyHint: '更早的记录可改发生时间后查询。',
  emptyFiltered: '没有符合条件的事件',
}
