import type { LogFileType } from '@voltkeep/contract'
import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** EQUIP_CLASSIFY -> the logs that its devices keep, in the order in which they are offered. */
const levels: Record<string, readonly (readonly [code: string, name: string, fileType: LogFileType])[]> = {
  EC: [
    ['RUN', '运行日志', 'txt'],
    ['FAULT', '故障日志', 'txt'],
    ['COMM', '通信日志', 'gz'],
    ['ALL', '全部日志', 'zip'],
  ],
  BAT: [
    ['RUN', '运行日志', 'txt'],
    ['BMS', 'BMS日志', 'gz'],
  ],
  ESS: [
    ['RUN', '运行日志', 'txt'],
    ['FAULT', '故障日志', 'txt'],
    ['ALL', '全部日志', 'zip'],
  ],
}

export const logExtractionSeeds: readonly Seed[] = [
  {
    name: 'logLevels',
    async plant(trx) {
      const rows = Object.entries(levels).flatMap(([equip_classify, list]) =>
        list.map(([code, name, file_type], index) => ({
          equip_classify,
          code,
          name,
          file_type,
          order_num: index + 1,
        })),
      )
      await trx.insertInto('log_level').values(rows).execute()
    },
  },
  menuPage({
    directory: 'maintenance',
    order: 4,
    name: '日志提取',
    path: 'logextract',
    remark: 'logextract',
    icon: 'file-text',
    url: 'maintenance/logextract',
    functions: {
      'logextract:list': '查看日志提取记录',
      'logextract:insert': '提取日志',
      'logextract:read': '查看和下载日志',
      'loglevel:edit': '维护日志级别',
    },
  }),
]
