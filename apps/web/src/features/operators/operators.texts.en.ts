// The English of operators.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { operatorTexts as Chinese } from './operators.texts.ts'

export const operatorTexts: English<typeof Chinese> = {
  measure: 'operator',
  fields: {
    name: 'Operator',
    code: 'Operator code',
    organization: 'Organization',
    devices: 'Devices',
    createTime: 'Created',
  },
  choose: 'Choose',
  moveHint: 'Its devices move along; who may see them changes at once.',
  move: {
    title: 'Move operator',
    ask: (name, devices, from, to) =>
      `Operator “${name}” and its ${counted(devices, 'device')} move from “${from}” to “${to}”; who may see them changes at once.`,
    action: 'Move',
  },
  empty: 'No operators yet',
  emptyHint: 'Add an operator, then register its devices.',
  emptyFiltered: 'No operators match',
  add: 'Add operator',
  edit: 'Edit',
  editTitle: (name) => `Edit operator ${name}`,
  unit: (count) => counted(count, 'device'),
  remove: {
    ...en.removal,
    title: 'Delete operator',
    ask: (name) => `Operator “${name}” will be deleted.`,
    warn: 'Not possible while it has devices or is part of the data scope of a user; this cannot be undone.',
  },
}
