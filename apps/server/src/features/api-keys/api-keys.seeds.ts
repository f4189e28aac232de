import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const apiKeySeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 7,
    name: 'API 密钥',
    path: 'apiKey',
    remark: 'systemApiKey',
    icon: 'api',
    url: 'system/apiKey',
    functions: {
      'apiKey:list': '查看 API 密钥',
      'apiKey:insert': '新增 API 密钥',
      'apiKey:rotate': '轮换 API 密钥',
      'apiKey:delete': '吊销 API 密钥',
    },
  }),
]
