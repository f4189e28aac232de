// The Chinese texts of the drawn cabinet.
import type { BinLook, Measure, Trouble } from './cabinet.model.ts'

const looks: Record<BinLook, string> = {
  empty: '空仓',
  charging: '充电中',
  full: '满电',
  idle: '待机',
  fault: '故障',
  disabled: '已停用',
  unknown: '未知',
}

const measures: Record<Measure, string> = {
  soc: '电量',
  temperature: '温度',
  voltage: '电压',
  current: '电流',
  soh: '健康度',
}

const number = (no: number) => `${no}号仓`

export const cabinetTexts = {
  title: '仓位',
  number,
  /** After the number, for screen readers. */
  numbered: '号仓',
  looks,
  measures,
  show: '显示',
  doorOpen: '门开',
  doorShut: '门关',
  locked: '已锁',
  unlocked: '未锁',
  calm: '没有异常',
  /** Before the compartments that have a trouble. */
  trouble: ({ kind, name }: Trouble) => (kind === 'alarm' ? name : kind === 'fault' ? '故障' : '仓门打开'),
  troubles: '异常',
  counts: '各状态仓位数',
  reported: '上报于',
  neverReported: {
    away: '设备从未接入，还没有仓位数据。',
    awayHint: '接入后上报运行状态即可显示。若现场已接线，可查看接入拒绝记录。',
    silent: '设备已接入，但上报的运行状态中没有仓位（compartments），仓位状态未知。',
  },
  away: (since: string) => `设备于 ${since} 离线，以下是离线前最后上报的状态。`,
  old: '较长时间没有新的上报，以下可能不是现在的状态。',
  detail: {
    hint: '选择一个仓位查看详情。方向键移动，Enter 打开。',
    state: '状态',
    battery: '电池',
    door: '仓门',
    lock: '门锁',
    alarms: '告警',
    unreported: '最近一次上报中没有此仓位。',
    curve: '曲线',
    actions: '操作',
  },
}
