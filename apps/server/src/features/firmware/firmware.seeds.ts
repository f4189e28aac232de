import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const firmwareSeeds: readonly Seed[] = [
  menuPage({
    directory: 'upgrade',
    order: 2,
    name: '固件管理',
    path: 'firmware',
    remark: 'firmware',
    icon: 'hdd',
    url: 'upgrade/firmware',
    functions: {
      'firmware:list': '查看固件',
      'firmware:upload': '上传固件',
      'firmware:insert': '新增固件',
      'firmware:update': '修改固件',
      'firmware:delete': '删除固件',
    },
  }),
  menuPage({
    directory: 'upgrade',
    order: 3,
    name: '软件版本',
    path: 'softwareVersion',
    remark: 'softwareVersion',
    icon: 'profile',
    url: 'upgrade/softwareVersion',
    functions: {
      'softwareVersion:list': '查看软件版本',
      'softwareVersion:upload': '上传软件版本',
      'softwareVersion:insert': '新增软件版本',
      'softwareVersion:update': '修改软件版本',
      'softwareVersion:delete': '删除软件版本',
    },
  }),
]
