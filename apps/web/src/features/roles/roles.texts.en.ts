// The English of roles.texts.ts.

import { en } from '../../lib/texts/en.ts'
import { counted, type English } from '../../lib/texts/english.ts'
import type { roleTexts as Chinese } from './roles.texts.ts'

export const roleTexts: English<typeof Chinese> = {
  title: 'Roles',
  measure: 'role',
  fields: { name: 'Role', code: 'Role code', remark: 'Remark', menus: 'Menus', userCount: 'Users' },
  add: 'Add role',
  edit: 'Edit',
  editTitle: (name) => `Edit role ${name}`,
  viewTitle: (name) => `Role ${name}`,
  codeRule:
    'Identifies the role: Chinese characters, letters, digits and . _ : -, upper and lower case alike. SYSTEM is reserved.',
  users: (count) => counted(count, 'user'),
  builtIn: 'Built in',
  builtInHint: 'The system administrator’s role has all rights and can be neither changed nor deleted.',
  outOfReach: 'Fixed',
  outOfReachHint:
    'The role has rights that you lack, or is held by users of other organizations or with a wider data scope.',
  empty: 'No roles yet',
  emptyFiltered: 'No roles match',
  save: {
    title: 'Save role',
    ask: (name, count) => `Role “${name}” will be saved with ${count} menus and functions.`,
    affects: (count) => `It takes effect for ${counted(count, 'user')} at once.`,
    go: 'Save',
  },
  remove: {
    ...en.removal,
    title: 'Delete role',
    ask: (name) => `Role “${name}” will be deleted; this cannot be undone.`,
    inUse: (count) => `The role is held by ${counted(count, 'user')}; take it back first.`,
  },
  tree: {
    hint: 'Half: the page opens, with the ticked functions only. Platform-wide: changes what all organizations share.',
    chosen: (count) => `${count} selected`,
    all: 'Select all',
    none: 'Clear',
    unfold: 'Expand all',
    fold: 'Collapse all',
    notHeld: 'You lack this right and cannot grant it',
    loading: 'Loading menus…',
    wide: 'Platform-wide',
    wideHint: 'Affects what all organizations share, beyond any data scope',
    part: (held, all) => `${held}/${all}`,
  },
}
