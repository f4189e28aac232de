// The English of regions.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { regionTexts as Chinese } from './regions.texts.ts'

export const regionTexts: English<typeof Chinese> = {
  measure: 'region',
  fields: { name: 'Region', code: 'Code', parent: 'Parent', orderNum: 'Order' },
  top: 'None (top region)',
  codeRule: '1 to 12 letters or digits; cannot be changed later.',
  orderHint: 'Smaller numbers come first; empty comes last.',
  moveHint: 'All regions below, their devices and history move along.',
  move: {
    title: 'Move region',
    top: 'top',
    ask: (name, from, to, below) =>
      `Region “${name}” moves from “${from}” to “${to}” with ${counted(below, 'region')} below it, and their devices and history.`,
    action: 'Move',
  },
  moveOnlySystem: 'Only SYSTEM users can move regions.',
  codeOf: (code) => `code ${code}`,
  search: 'Search by name or code',
  empty: 'No regions yet',
  emptyHint: 'Add a region, then devices can be placed in it.',
  add: 'Add region',
  addBelow: 'Add below',
  addBelowTitle: (name) => `Add region below “${name}”`,
  edit: 'Edit',
  editTitle: (name) => `Edit region ${name}`,
  builtIn: 'Stands for all regions and cannot be changed',
  remove: {
    ...en.removal,
    title: 'Delete region',
    ask: (name, code) => `Region “${name}” (${code}) will be deleted.`,
    warn: 'Not possible while it has regions or devices, or is part of the data scope of a user; this cannot be undone.',
  },
  detail: {
    info: 'Basics',
    related: 'Related',
    children: 'Below it',
    none: 'None',
    notFound: 'The region does not exist',
  },
  tallies: {
    below: 'Regions below',
    devices: { title: 'Devices', measure: '' },
    online: { title: 'Online', measure: '' },
    alarms: { title: 'Current alarms', measure: '' },
    shelved: { title: 'Shelved alarms', measure: '' },
  },
}
