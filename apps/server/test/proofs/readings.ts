// What is proved of readings by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId, fresh, type Reference, shared } from '../references.ts'

const deviceOfSeries: Reference = {
  ...deviceId,
  input: ({ deviceId: id }) => ({
    id,
    keys: ['compartments.1.soc'],
    startTime: '2026-11-01 00:00:00',
    endTime: '2026-11-02 00:00:00',
  }),
}

const batteryOfSeries: Reference = {
  to: 'battery',
  input: ({ batteryCode: code }) => ({
    code,
    startTime: '2026-11-01 00:00:00',
    endTime: '2026-11-02 00:00:00',
  }),
  isOfDevice: true,
}

export const proofs: NounProofs = {
  references: {
    listReadings: [deviceId],
    listCompartments: [deviceId],
    readSeries: [deviceOfSeries],
    exportSeries: [deviceOfSeries],
    readBatterySeries: [batteryOfSeries],
    exportBatterySeries: [batteryOfSeries],
    listReadingDefinitions: shared,
    insertReadingDefinition: shared,
    updateReadingDefinition: shared,
    deleteReadingDefinition: shared,
  },
  scope: {
    listReadingDefinitions: {
      model: 'the catalogue of readings is the same for everyone',
      isFoundAnyway: true,
    },
  },
  versions: {
    async updateReadingDefinition(app) {
      const { id, equip_type_id } = await app.db
        .insertInto('reading_definition')
        .values((eb) => ({
          equip_type_id: eb.selectFrom('equip_type').select((one) => one.fn.min('id').as('id')),
          key: 'VERSIONS',
          name: '读数',
        }))
        .returning(['id', 'equip_type_id'])
        .executeTakeFirstOrThrow()
      const form = { equipTypeId: String(equip_type_id), key: 'VERSIONS' }
      return {
        table: 'reading_definition',
        key: { id: String(id) },
        change: () => ({ ...form, name: fresh('改名') }),
      }
    },
  },
  screens: [
    [
      '/reference/readingCatalogue',
      { 'the catalogue of readings': asItIs, 'the form of a reading': pressFirst('新增读数') },
    ],
  ],
  forms: {
    'a new reading of the catalogue': {
      of: 'readingCatalogue/ReadingDialog',
      path: '/reference/readingCatalogue',
      open: press('新增读数'),
      problems: ['请选择设备类型', '请输入读数键', '请输入名称'],
      sends: 'equip/reading/catalogue/insert',
    },
  },
  additions: {
    listReadings: reasons.living,
    listCompartments: reasons.living,
    readSeries: reasons.living,
    exportSeries: reasons.living,
    readBatterySeries: reasons.living,
    exportBatterySeries: reasons.living,
    listReadingDefinitions: reasons.living,
    insertReadingDefinition: reasons.living,
    updateReadingDefinition: reasons.living,
    deleteReadingDefinition: reasons.living,
  },
}
