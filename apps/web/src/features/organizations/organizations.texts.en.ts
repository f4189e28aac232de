// The English of organizations.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { organizationTexts as Chinese } from './organizations.texts.ts'

export const organizationTexts: English<typeof Chinese> = {
  measure: 'organization',
  fields: { name: 'Organization', code: 'Code', parent: 'Parent', orderNum: 'Order' },
  top: '(none: top organization)',
  orderHint: 'Smaller numbers come first.',
  moveHint: 'Its users, operators and devices move along.',
  move: {
    title: 'Move organization',
    top: 'top',
    ask: (name, from, to, below) =>
      `“${name}” moves from “${from}” to “${to}” with ${counted(below, 'organization')} below it, and their users, operators and devices; who may see them changes at once.`,
    action: 'Move',
  },
  ownHint: 'The parent of your own organization cannot be changed.',
  codeOf: (code) => `code ${code}`,
  search: 'Search by name or code',
  empty: 'No organizations yet',
  emptyHint: 'Add an organization, then its operators and users.',
  add: 'Add organization',
  addBelow: 'Add below',
  addBelowTitle: (name) => `Add organization below “${name}”`,
  edit: 'Edit',
  editTitle: (name) => `Edit organization ${name}`,
  remove: {
    ...en.removal,
    title: 'Delete organization',
    ask: (name) => `Organization “${name}” will be deleted.`,
    warn: 'Not possible while it has organizations, operators or users; this cannot be undone.',
  },
  detail: {
    info: 'Basics',
    related: 'Related',
    children: 'Below it',
    none: 'None',
    notFound: 'The organization does not exist, or lies outside of yours',
  },
  tallies: {
    operators: { title: 'Operators', measure: '' },
    users: { title: 'Users', measure: '' },
    devices: { title: 'Devices', measure: '' },
    online: { title: 'Online', measure: '' },
    alarms: { title: 'Current alarms', measure: '' },
    shelved: { title: 'Shelved alarms', measure: '' },
  },
}
