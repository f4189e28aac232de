import { asItIs, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertRegion } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared, unnamed } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listRegions: shared,
    countRegions: unnamed,
    insertRegion: [
      {
        to: 'region above',
        isByRegion: true,
        input: (named) => ({ parentCode: named.regionCode, name: '新地区', code: fresh('98') }),
      },
    ],
    updateRegion: [
      {
        to: 'region',
        isByRegion: true,
        input: (named) => ({ id: named.regionCode, name: '改名' }),
      },
    ],
    deleteRegion: [{ to: 'region', isByRegion: true, input: (named) => ({ id: named.regionCode }) }],
  },
  versions: {
    async updateRegion(app) {
      await insertRegion(app.db, { code: '97001' })
      return { table: 'region', key: { code: '97001' }, change: () => ({ name: fresh('改名') }) }
    },
  },
  screens: [
    [
      '/reference/region',
      { regions: asItIs, 'one region': openFirst, 'the form of a region': pressFirst('新增地区') },
    ],
    ['/reference/region?keyword=440305', { 'regions found': asItIs }],
  ],
  forms: {
    'a new region': {
      of: 'regions/RegionDialog',
      path: '/reference/region',
      open: press('新增地区'),
      problems: ['请输入地区编码', '请输入地区名称'],
      typed: { 地区编码: '990000' },
      sends: 'region/insert',
    },
  },
  additions: { countRegions: reasons.kept },
}
