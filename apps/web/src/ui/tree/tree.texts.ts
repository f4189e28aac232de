// The Chinese texts of trees whose nodes have devices.
import { formatCount } from '../../lib/format.ts'

export interface DeviceSums {
  readonly devices: number
  readonly online: number
  readonly alarms: number
}

export const treeTexts = {
  /** What belongs to a node, in the line below its name. */
  sums: ({ devices, online, alarms }: DeviceSums) =>
    [
      `设备 ${formatCount(devices)}`,
      devices > 0 && `在线 ${formatCount(online)}`,
      alarms > 0 && `告警 ${formatCount(alarms)}`,
    ]
      .filter(Boolean)
      .join(' · '),
}
