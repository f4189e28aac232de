import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** It has no functions: SYSTEM users alone keep providers. */
export const signInSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 8,
    name: '企业登录',
    path: 'signIn',
    remark: 'systemSignIn',
    icon: 'safety',
    url: 'system/signIn',
  }),
]
