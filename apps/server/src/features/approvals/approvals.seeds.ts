import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** It needs no function of its own: what is seen on it depends on the functions of the deeds that wait. */
export const approvalSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 6,
    name: '待我同意',
    path: 'approval',
    remark: 'approval',
    icon: 'audit',
    url: 'maintenance/approval',
  }),
]
