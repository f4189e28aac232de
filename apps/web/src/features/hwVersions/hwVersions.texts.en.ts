// The English of hwVersions.texts.ts.

import { en } from '../../lib/texts/en.ts'
import type { English } from '../../lib/texts/english.ts'
import type { hwVersionTexts as Chinese } from './hwVersions.texts.ts'

export const hwVersionTexts: English<typeof Chinese> = {
  measure: 'version',
  fields: {
    equipType: 'Device type',
    equipModel: 'Model',
    partType: 'Part',
    versionName: 'Name',
    versionNameHint: 'Name or version',
    versionCode: 'Version',
    versionNote: 'Notes',
    createTime: 'Created',
  },
  choose: 'Choose',
  typeFirst: 'Choose a device type first',
  modelFirst: 'Choose a model first',
  noParts: 'This model has no parts',
  add: 'Add hardware version',
  empty: 'No hardware versions yet',
  emptyHint: 'Register the hardware versions of the parts of a model; packages are told apart by them.',
  emptyFiltered: 'No hardware versions match',
  remove: {
    ...en.removal,
    title: 'Delete hardware version',
    ask: (model, part, code) => `Hardware version ${code} of ${model} (${part}) will be deleted.`,
    warn: 'This cannot be undone.',
  },
}
