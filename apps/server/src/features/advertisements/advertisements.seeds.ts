import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const advertisementSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 3,
    name: '广告发布',
    path: 'advertise',
    remark: 'advertise',
    icon: 'picture',
    url: 'maintenance/advertise',
    functions: {
      'ad:page': '查看广告',
      'ad:create': '发布广告',
      'ad:delete': '删除广告',
      'ad:retry': '重试广告投放',
    },
  }),
  menuFunctions({ page: 'advertise', name: 'share', functions: { 'ad:share': '分享广告图片' } }),
]
