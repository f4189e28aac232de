import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'
import { alarmCauses, enumerations } from './enumerations.seeds.ts'
import { ocppSemaphores } from './ocpp-semaphores.seeds.ts'
import { semaphores } from './semaphores.seeds.ts'

export const dictionarySeeds: readonly Seed[] = [
  enumerations,
  alarmCauses,
  semaphores,
  ocppSemaphores,
  menuPage({
    directory: 'system',
    order: 5,
    name: '字典管理',
    path: 'dictionary',
    remark: 'systemDictionary',
    icon: 'book',
    url: 'system/dictionary',
    functions: {
      'enum:list': '查看字典',
      'enum:insert': '新增字典',
      'enum:update': '修改字典',
      'enum:delete': '删除字典',
    },
    partOf: 'administrationMenus',
  }),
]
