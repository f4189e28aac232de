// The Chinese texts of charts.
import type { MarkType } from './chart.data.ts'
import type { RangeName } from './chart.ranges.ts'

const ranges: Record<RangeName, string> = { '24h': '24 小时', '7d': '7 天', '30d': '30 天', '1y': '1 年' }
const marks: Record<MarkType, string> = {
  offline: '离线',
  stay: '在柜',
  alarm: '告警',
  upgrade: '升级',
  command: '命令',
}

export const chartTexts = {
  chart: '曲线图',
  ranges,
  marks,
  range: '时间范围',
  from: '开始时间',
  until: '结束时间',
  reset: '还原范围',
  zoomIn: '放大',
  zoomOut: '缩小',
  earlier: '更早',
  later: '更晚',
  views: '显示方式',
  asChart: '曲线',
  asTable: '表格',
  time: '时间',
  newest: '最新',
  keys: '← → 逐点查看，Shift 加快；+ − 缩放，PageUp PageDown 平移，0 还原；拖动选择一段放大。',
  empty: '这段时间没有数据',
  emptyHint: '可以扩大时间范围，或选择其他读数。',
  failed: '曲线读取失败',
  slow: '数据较多，正在读取…',
  unknown: '无数据',
  yes: '是',
  no: '否',
  /** Of a stretch in which a switch was both. */
  partly: (percent: string) => `${percent}% 是`,
  remove: (name: string) => `移除 ${name}`,
  band: (least: string, greatest: string) => `${least} ～ ${greatest}`,
  /** Of one curve, for who does not see it. */
  described: (
    name: string,
    unit: string,
    least: string,
    leastAt: string,
    greatest: string,
    greatestAt: string,
  ) => `${name}：最低 ${least}${unit}（${leastAt}），最高 ${greatest}${unit}（${greatestAt}）。`,
  describedNone: (name: string) => `${name}：没有数据。`,
  describedRange: (start: string, end: string) => `${start} 至 ${end}。`,
  describedMarks: (count: number) => `${count} 个标记。`,
  /** Without an end it goes on; an empty end is a moment. */
  span: (start: string, end: string | null) =>
    end === null ? `${start} 起，持续中` : end === '' ? start : `${start} 至 ${end}`,
  marksTitle: (count: number) => `标记 ${count} 个`,
}
