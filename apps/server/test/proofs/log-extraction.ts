import { formatDateTime } from '@voltkeep/contract'
import { patiently } from '../../../../e2e/patiently.ts'
import { asItIs } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceCode, fresh, type Reference, shared } from '../references.ts'

const extraction: Reference = {
  to: 'extraction',
  input: ({ extractionId }) => ({ id: extractionId }),
  isOfDevice: true,
}
const today = () => formatDateTime(new Date()).slice(0, 10)
const deviceOfLog: Reference = {
  to: 'device by code',
  input: ({ deviceCode: equipCode }) => ({
    equipCode,
    equipClassify: 'EC',
    logExtractParam: { level: 'RUN', startTime: today(), endTime: today() },
  }),
  isOfDevice: true,
}

export const proofs: NounProofs = {
  references: {
    listLogLevels: shared,
    insertLogLevel: shared,
    updateLogLevel: shared,
    deleteLogLevel: shared,
    extractLog: [deviceOfLog],
    startLogExtraction: [deviceOfLog],
    cancelLogExtraction: [extraction],
    listLogExtractions: [
      deviceCode,
      { to: 'extraction by ids', input: ({ extractionId }) => ({ ids: [extractionId] }), isOfDevice: true },
    ],
    downloadExtractedLog: [extraction],
    listLogEntries: [extraction],
    readExtractedLog: [extraction],
  },
  scope: {
    listLogExtractions: { model: 'its own tests list it in a narrower scope' },
  },
  versions: {
    async updateLogLevel(app) {
      const form = { equipClassify: 'EC', code: 'VERSIONS', fileType: 'txt' as const, orderNum: 1 }
      const { id } = await app.db
        .insertInto('log_level')
        .values({ equip_classify: 'EC', code: 'VERSIONS', name: '日志', file_type: 'txt' })
        .returning('id')
        .executeTakeFirstOrThrow()
      return {
        table: 'log_level',
        key: { id: String(id) },
        change: () => ({ ...form, name: fresh('改名') }),
      }
    },
    extractLog: 'adds an extraction',
    startLogExtraction: 'adds an extraction',
    cancelLogExtraction: 'refused by the state of the extraction',
  },
  screens: [
    [
      '/maintenance/logextract',
      { 'the form of an extraction': async (page) => page.getByText('最近提取').waitFor(patiently) },
    ],
    [
      '/maintenance/logextract?extraction=1',
      {
        'one log': async (page) =>
          page.getByRole('region', { name: '日志内容' }).getByText('run/').first().waitFor(patiently),
      },
    ],
    ['/maintenance/logextract?tab=history', { 'extracted logs': asItIs }],
  ],
  additions: {
    startLogExtraction: reasons.keptLog,
    cancelLogExtraction: reasons.keptLog,
    listLogExtractions: reasons.keptLog,
    downloadExtractedLog: reasons.keptLog,
    listLogEntries: reasons.keptLog,
    readExtractedLog: reasons.keptLog,
    insertLogLevel: reasons.kept,
    updateLogLevel: reasons.kept,
    deleteLogLevel: reasons.kept,
  },
}
